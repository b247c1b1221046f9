import { load } from 'cheerio/slim';
import { isCurrency } from '../kit/codes.ts';
import { isElement } from '../kit/html/dom.ts';
import { BASE_CURRENCY, exchangeRatesSchema, type ExchangeRates } from './exchange-rates.ts';

/**
 * Reads the ECB's daily XML: `Cube` elements with `time`, and within them `Cube` elements with `currency` and `rate`, under any
 * namespace prefix. Of several days the newest counts; currencies that are no longer in use are left out. Throws an Error that
 * says what is wrong where this gives no table.
 */
export function parseEcbRates(xml: string): ExchangeRates {
  const document = load(xml, { xml: true });
  const cubes = document('*')
    .toArray()
    .filter(isElement)
    .filter((element) => /^(?:[^:]+:)?cube$/i.test(element.name));
  const days = cubes.filter(({ attribs }) => attribs['time'] !== undefined);
  const newest = days.toSorted((a, b) => ((a.attribs['time'] ?? '') < (b.attribs['time'] ?? '') ? 1 : -1))[0];
  if (!newest) throw new Error('The feed names no day (a Cube with time).');
  const rates = cubes
    .filter((cube) => cube.parent === newest)
    .flatMap(({ attribs: { currency, rate } }) =>
      currency === undefined || rate === undefined ? [] : [[currency, rate]],
    )
    .filter(([currency = '']) => isCurrency(currency) && currency !== BASE_CURRENCY)
    .map(([currency, rate]) => [currency, Number(rate)]);
  const parsed = exchangeRatesSchema.safeParse({ date: newest.attribs['time'], rates: Object.fromEntries(rates) });
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new Error(`The feed is no table of rates: ${issue?.path.join('.')} ${issue?.message}`);
}
