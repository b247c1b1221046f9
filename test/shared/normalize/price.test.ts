import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isCurrency } from '../../../shared/kit/codes.ts';
import { parseAmount } from '../../../shared/normalize/amount.ts';
import { currencyOf } from '../../../shared/normalize/currencies.ts';
import { convertWithdrawn } from '../../../shared/normalize/withdrawn-currencies.ts';
import { normalizePrice } from '../../../shared/normalize/price.ts';
import { times } from '../../support/lane.ts';

describe('the amount of a price', () => {
  test.each([
    ['EUR 80.000,-', 80_000, 'EUR'],
    ['EUR1.234,-', 1_234, 'EUR'],
    ['1.234,56 €', 1_234.56, 'EUR'],
    ['€ 34.990', 34_990, 'EUR'],
    ['12,99€', 12.99, 'EUR'],
    ['1.000.000 €', 1_000_000, 'EUR'],
    ['$1,234.56', 1_234.56, 'USD'],
    ['USD1234', 1_234, 'USD'],
    ['CHF 1’250.–', 1_250, 'CHF'],
    ['CHF 3337', 3_337, 'CHF'],
    ['₹ 2,43,300', 243_300, 'INR'],
    ['Rs. 2 lakh', 200_000, 'INR'],
    ['12 345,67 zł', 12_345.67, 'PLN'],
    ['12\u00a0345 Kč', 12_345, 'CZK'],
    ['Ft 12 000', 12_000, 'HUF'],
    ['173,34 Lei', 173.34, 'RON'],
    ['R$ 1.234,56', 1_234.56, 'BRL'],
    ['C $11.19', 11.19, 'CAD'],
    ['٣٫٥٠ ر.س', 3.5, 'SAR'],
    ['12.500 KWD', 12.5, 'KWD'],
    ['350만원', 3_500_000, 'KRW'],
    ['120万円', 1_200_000, 'JPY'],
    ['80k €', 80_000, 'EUR'],
    ['1,5 Mio. €', 1_500_000, 'EUR'],
    ['０.５ €', 0.5, 'EUR'],
  ])('%s', (text, amount, currency) => {
    expect(normalizePrice(text)).toEqual({ amount, currency, negotiable: false });
  });

  test.each([
    ["1'234.50", { currency: 'CHF' }, 1_234.5],
    ['13.4', { currency: 'EUR' }, 13.4],
    ['12.3450', { currency: 'EUR' }, 12.345],
    ['50,-', { country: 'DE' }, 50],
    ['$ 3.340', { currency: 'CLP' }, 3_340],
  ])('%s with the currency beside it', (text, context, amount) => {
    expect(normalizePrice(text, context)?.amount).toBe(amount);
  });

  test.each([
    ['$20 - $30', 20],
    ['20 – 30 €', 20],
    ['von 20 bis 30 €', 20],
  ])('the low end of %s', (text, amount) => {
    expect(normalizePrice(text)?.amount).toBe(amount);
  });

  test.each([
    ['36.500 €42.000 €', 36_500, 'a former price glued behind the new one'],
    ['EUR\u00a0\u00a089,000 Tax Paid (US$\u00a099,351)', 89_000, 'a conversion'],
    ['119,00 € inkl. 19% MwSt.', 119, 'a tax rate'],
    ['Was $50 now $40', 40, 'a former price before it'],
    ['UVP 99 € jetzt 79 €', 79, 'a list price'],
    ['3 x 30 €', 30, 'a count'],
  ])('%s is %d: %s does not count', (text, amount) => {
    expect(normalizePrice(text)?.amount).toBe(amount);
  });

  test('JSON of any number with two decimals comes back as it was', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 1_000_000_000 }), (cents) => {
        expect(normalizePrice(String(cents / 100), { currency: 'EUR' })?.amount).toBe(cents / 100);
      }),
    );
  });

  test.each(['de-DE', 'en-US', 'fr-FR', 'de-CH', 'en-IN', 'pl-PL', 'sv-SE', 'ja-JP'])(
    'amounts as %s prints them',
    (locale) => {
      const format = new Intl.NumberFormat(locale, { style: 'currency', currency: 'EUR', minimumFractionDigits: 2 });
      fc.assert(
        fc.property(fc.integer({ min: 1, max: 2_000_000_000 }), (cents) => {
          expect(normalizePrice(format.format(cents / 100))).toEqual({
            amount: cents / 100,
            currency: 'EUR',
            negotiable: false,
          });
        }),
      );
    },
  );
});

describe('the currency of a price', () => {
  test.each([
    ['$5', 'CA', 'CAD'],
    ['$5', undefined, 'USD'],
    ['37 500 kr', 'SE', 'SEK'],
    ['37 500 kr.', 'NO', 'NOK'],
    ['Rs 100', 'PK', 'PKR'],
    ['¥ 100', 'CN', 'CNY'],
    ['100', 'CH', 'CHF'],
  ])('%s in %s is %s', (text, country, currency) => {
    expect(normalizePrice(text, { country })?.currency).toBe(currency);
  });

  test('a sign in the text goes before the one beside it, unless several currencies share it', () => {
    expect(normalizePrice('€ 5', { currency: 'USD' })?.currency).toBe('EUR');
    expect(normalizePrice('$ 5', { currency: 'CAD' })?.currency).toBe('CAD');
  });

  test('a price whose currency stays open is none', () => {
    expect(normalizePrice('37 500 kr')).toBeUndefined();
    expect(normalizePrice('100')).toBeUndefined();
  });

  test('a number among many words is no price, whatever the country', () => {
    expect(normalizePrice('Cruiser 40 of 2011, new teak deck and sails', { country: 'SE' })).toBeUndefined();
    expect(normalizePrice('Price: 1200 VB', { country: 'DE' })?.amount).toBe(1_200);
  });

  test.each(['â‚¬ 1.200', 'Â£298', 'Ã¢â€šÂ¬ 12'])('%s survives a wrong charset', (text) => {
    expect(normalizePrice(text)?.currency).toMatch(/^(?:EUR|GBP)$/);
  });

  test('codes are read in any case, those in use and those withdrawn at a fixed rate', () => {
    expect(currencyOf('pln')).toBe('PLN');
    expect(currencyOf('HRK')).toBe('HRK');
    expect(currencyOf('XBT')).toBeUndefined();
    expect(currencyOf('LOA')).toBeUndefined();
  });
});

describe('the signs and words of every currency', () => {
  test.each([
    ['100 Kn', 'HRK'],
    ['5 000 тг', 'KZT'],
    ['1200 лв.', 'BGN'],
    ['900 ден', 'MKD'],
    ['50 KM', 'BAM'],
    ['S/ 250', 'PEN'],
    ['Bs. 350 negociable', 'BOB'],
    ['Q 1,500', 'GTQ'],
    ['KSh 1,200', 'KES'],
    ['2500 DH', 'MAD'],
    ['20 000 сум', 'UZS'],
    ['50 сом', 'KGS'],
    ['E£ 50', 'EGP'],
    ['1 128 240 рублей', 'RUB'],
    ['6790 Dinara', 'RSD'],
    ['د.إ 3,439.00', 'AED'],
    ['DEM 170 000', 'DEM'],
    ['300 RUR', 'RUR'],
    ['56,000 تومان', 'IRT'],
    ['$12.50 CAD', 'CAD'],
  ])('%s is in %s', (text, currency) => {
    expect(normalizePrice(text)?.currency).toBe(currency);
  });

  test('the country settles what several currencies print, and what may be a unit of measure', () => {
    expect(normalizePrice('£ 500', { country: 'EG' })?.currency).toBe('EGP');
    expect(normalizePrice('£ 500', { country: 'DE' })?.currency).toBe('GBP');
    expect(normalizePrice('5 000 dinars', { country: 'DZ' })?.currency).toBe('DZD');
    expect(normalizePrice('5 000 dinars')).toBeUndefined();
    expect(normalizePrice('120 km', { country: 'BA' })?.currency).toBe('BAM');
    expect(normalizePrice('120 km')).toBeUndefined();
    expect(normalizePrice('16.00 ft', { currency: 'EUR' })).toBeUndefined();
  });

  test.each([
    ['DKK/stk', 'DKK'],
    ['£ 4.99', 'GBP'],
    ['Price: $ 34.44', 'USD'],
  ])('what stands beside a price may name its currency among other words: %s', (beside, currency) => {
    expect(normalizePrice('17.95', { currency: beside })).toMatchObject({ amount: 17.95, currency });
  });

  test.each([
    'July, 2004',
    '15.08.2017',
    '25-09',
    'Free shipping on orders $49+',
    'Art. 12',
    'Save $50',
    '2 free classes',
  ])('%s is no price', (text) => {
    expect(normalizePrice(text, { currency: 'EUR' })).toBeUndefined();
  });

  test.each([
    ['100 kn', { amount: 13.27, currency: 'EUR' }],
    ['DEM 170 000', { amount: 86_919.62, currency: 'EUR' }],
    ['300 RUR', { amount: 300, currency: 'RUB' }],
    ['56,000 تومان', { amount: 560_000, currency: 'IRR' }],
    ['80 €', { amount: 80, currency: 'EUR' }],
  ])('%s is the same money in a currency in use', (text, expected) => {
    const price = normalizePrice(text);
    expect(price && convertWithdrawn(price)).toMatchObject(expected);
    expect(price && isCurrency(convertWithdrawn(price).currency)).toBe(true);
  });
});

test('what Node prints for a currency at home is read as that currency there', () => {
  for (const [locale, currency] of [
    ['es-PE', 'PEN'],
    ['sw-KE', 'KES'],
    ['ar-KW', 'KWD'],
    ['fr-CI', 'XOF'],
    ['uz-UZ', 'UZS'],
    ['da-DK', 'DKK'],
    ['es-NI', 'NIO'],
    ['mk-MK', 'MKD'],
    ['si-LK', 'LKR'],
  ] as const)
    for (const currencyDisplay of ['symbol', 'narrowSymbol', 'name'] as const) {
      const printed = new Intl.NumberFormat(locale, { style: 'currency', currency, currencyDisplay }).format(1_250);
      const found = normalizePrice(printed, { country: locale.slice(3) });
      expect([printed, found]).toEqual([printed, { amount: 1_250, currency, negotiable: false }]);
    }
});

describe('open prices', () => {
  test.each([
    'price on request',
    'Preis auf Anfrage',
    'Prix sur demande',
    'POA',
    'Call for price',
    'a consultar',
    'Trattativa riservata',
    '応相談',
    '가격문의',
    'Zu verschenken',
    'gratis',
    'VB',
  ])('%s asks nothing in public', (text) => {
    expect(normalizePrice(text, { currency: 'CHF' })).toMatchObject({ amount: 0, currency: 'CHF' });
  });

  test.each([
    ['1.400 € VB', true],
    ['1 200 € VHB', true],
    ['£5,100 ono', true],
    ['$500 or best offer', true],
    ['3.000 € trattabile', true],
    ['100만원 네고가능', true],
    ['1.400 €', false],
    ['$100 not negotiable', false],
    ['$100 firm', false],
  ])('%s: negotiable %s', (text, negotiable) => {
    expect(normalizePrice(text)?.negotiable).toBe(negotiable);
  });
});

test('no text is an error, and every answer is a valid price', () => {
  const printed = fc.array(
    fc.oneof(
      fc.constantFrom('€', '$', 'kr', 'EUR', ' ', '.', ',', "'", '1', '234', '00', 'VB', '-', '%', 'k', 'was', 'â‚¬'),
      fc.string({ maxLength: 4 }),
    ),
    { maxLength: 12 },
  );
  fc.assert(
    fc.property(
      printed,
      fc.constantFrom(undefined, 'EUR', '$', 'zzz'),
      fc.constantFrom(undefined, 'US', 'SE'),
      (parts, currency, country) => {
        const price = normalizePrice(parts.join(''), { currency, country });
        if (!price) return;
        expect(price.amount).toBeGreaterThanOrEqual(0);
        expect(price.amount).toBeLessThanOrEqual(1e12);
        expect(isCurrency(convertWithdrawn(price).currency)).toBe(true);
      },
    ),
    { numRuns: times(2_000, 40_000) },
  );
});

test.each([
  ['1.234', 1_234],
  ['1.234', 1.234, 3],
  ['0.123', 0.123],
  ['1234.567', 1_234.567],
  ['1.234.567,8', 1_234_567.8],
  ['1,23', 1.23],
  ['12.', 12],
])('parseAmount reads %s as %s', (printed, expected, decimals = 2) => {
  expect(parseAmount(printed, decimals)).toBe(expected);
});
