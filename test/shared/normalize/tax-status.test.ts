import { expect, test } from 'vitest';
import { normalizeRecord } from '../../../shared/normalize/record.ts';
import { normalizeTaxStatus } from '../../../shared/normalize/tax-status.ts';

test.each([
  ['VAT paid', { included: true, paid: true }],
  ['VAT status: paid', { included: true, paid: true }],
  ['Tax Not Paid', { included: false, paid: false }],
  ['MwSt. bezahlt', { included: true, paid: true }],
  ['MwSt. ausweisbar', { included: true }],
  ['119,00 € inkl. 19% MwSt.', { included: true, rate: 19 }],
  ['zzgl. 19% MwSt.', { included: false, rate: 19 }],
  ['£50,000 ex. VAT', { included: false }],
  ['price plus VAT', { included: false }],
  ['TVA non acquittée', { included: false, paid: false }],
  ['TVA payée', { included: true, paid: true }],
  ['120 000 € HT', { included: false }],
  ['120 000 € TTC', { included: true }],
  ['IVA inclusa', { included: true }],
  ['IVA esclusa', { included: false }],
  ['IVA pagado', { included: true, paid: true }],
  ['IVA no incluido', { included: false }],
  ['100円 税込', { included: true }],
  ['100円（税抜）', { included: false }],
  ['부가세 포함', { included: true }],
  ['부가세 별도', { included: false }],
  ['Taxi included', undefined],
  ['A private sale', undefined],
])('%s', (text, expected) => {
  expect(normalizeTaxStatus(text)).toEqual(expected);
});

test('the status is told by the price, by a fact or by the text, and a boat keeps whether tax has been paid', () => {
  const properties = { LOA: '13 m', Draft: '2.1 m' };
  const raw = { url: 'https://ads.example/1', title: 'Dufour 43', breadcrumbs: ['Boats', 'x'], properties };
  const statusOf = (more: object) => {
    const result = normalizeRecord({ ...raw, price: '89000 EUR', ...more }, { site: 'ads.example', now: new Date() });
    if ('reason' in result) throw new Error(result.reason);
    const specs = result.record.boat?.specs as { additional?: object } | undefined;
    return { included: result.record.price?.vat_included, ...specs?.additional };
  };
  expect(statusOf({ price: 'EUR 89,000 Tax Paid (US$ 99,351)' })).toEqual({ included: true, tax_paid: true });
  expect(statusOf({ properties: { ...properties, 'VAT status': 'Not paid' } })).toEqual({
    included: false,
    tax_paid: false,
  });
  expect(statusOf({ description: 'Gepflegt, MwSt. ausweisbar.' })).toEqual({ included: true });
  expect(statusOf({})).toEqual({ included: undefined });
});
