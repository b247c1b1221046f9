import type { RawRecord } from '../../../shared/normalize/record-type.ts';
import { resolveUrl, type Page } from '../../extract/page.ts';

/** What the letters of the line of facts stand for. */
const names = new Map([
  ['LOA', 'Length'],
  ['BM', 'Beam'],
  ['YR', 'Year'],
  ['ENG', 'Engine'],
]);

/** The record of a notice; undefined for the list and the rules of the board. */
export function extractNotice({ $, url, base }: Page): RawRecord | undefined {
  const notice = $('#notice').first();
  const title = notice.find('.headline').first().text().trim();
  if (title === '') return undefined;
  const facts = notice.find('.code').first().text().split('/');
  const pairs = facts.map((fact) => /^([A-Z]+)\s+(\S.*)$/.exec(fact.trim())).filter((match) => match !== null);
  const price = pairs.find(([, code]) => code === 'ASK')?.[2];
  const properties = pairs.flatMap(([, code = '', value = '']) => {
    const name = names.get(code);
    return name === undefined ? [] : [[name, value]];
  });
  const images = notice
    .find('[data-photo]')
    .toArray()
    .flatMap((element) => resolveUrl($(element).attr('data-photo') ?? '', base) ?? []);
  return {
    url,
    title,
    description: notice
      .find('.letter p')
      .toArray()
      .map((element) => $(element).text().trim())
      .join('\n\n'),
    ...(price !== undefined && { price }),
    ...(notice.is('.struck') && { availability: 'SoldOut' }),
    location: { text: notice.find('.berth').first().text().trim() },
    properties: Object.fromEntries(properties) as Record<string, string>,
    images: images.map((image) => ({ url: image })),
    language: 'en',
  };
}
