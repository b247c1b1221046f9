import { describe, expect, test } from 'vitest';
import { makeFingerprint, type Subject } from '../../../shared/dedup/fingerprint.ts';
import { scoreOf, uncleared } from '../../../shared/scams/evidence.ts';
import {
  judgeAccount,
  judgeContacts,
  judgeImages,
  judgePriceGap,
  judgeText,
  judgeVelocity,
  type Elsewhere,
} from '../../../shared/scams/signals.ts';

const rules = { holdFrom: 60, newAccountDays: 14, dearFrom: 5_000 };
const text =
  'Sound cruising yacht with a teak deck, new standing rigging and a heated saloon; the survey of last year may be read on board.';
const yacht: Subject = {
  id: 'lst_own',
  title: 'Hallberg-Rassy 352 of 1988',
  description: text,
  condition: 'good',
  brand: 'Hallberg-Rassy',
  model: '352',
  year: 1988,
  length_m: 10.5,
};
const own = makeFingerprint(yacht);
const elsewhere = (fields: Partial<Subject> = {}, more: Partial<Elsewhere> = {}): Elsewhere => ({
  print: makeFingerprint({ ...yacht, id: 'lst_other', ...fields }),
  seller: 'usr_other',
  isEstablished: true,
  price: 60_000,
  ...more,
});
const shared = (other: Elsewhere, sha256 = 'a') => ({ sha256, other, changes: ['mirrored' as const] });

describe('photos', () => {
  test('of the same thing for far less, or of another thing, weigh much and name the listing', () => {
    expect(judgeImages(own, 24_000, [shared(elsewhere())])).toMatchObject({
      weight: 50,
      details: { listings: ['lst_other'] },
      reason: expect.stringMatching(/mirrored.*lst_other.*250 %/),
    });
    const najad = elsewhere({ title: 'Najad 343', brand: 'Najad', model: '343', year: 1984 });
    expect(judgeImages(own, 60_000, [shared(najad)])).toMatchObject({
      weight: 50,
      reason: expect.stringContaining('another thing'),
    });
  });

  test('of the same thing at about the same price weigh little: it may be a shared sale', () => {
    expect(judgeImages(own, 56_000, [shared(elsewhere())])).toMatchObject({ weight: 5 });
  });

  test("of a maker's new stock, or of many established sellers, are no evidence; three new accounts are not many sellers", () => {
    const stock = makeFingerprint({ ...yacht, condition: 'new' });
    expect(judgeImages(stock, 24_000, [shared(elsewhere({ condition: 'new' }))])).toBeUndefined();
    const three = (isEstablished: boolean) =>
      ['usr_a', 'usr_b', 'usr_c'].map((seller) => shared(elsewhere({}, { seller, isEstablished })));
    expect(judgeImages(own, 24_000, three(true))).toBeUndefined();
    expect(judgeImages(own, 24_000, three(false))).toMatchObject({ weight: 50 });
  });
});

test('a description that somebody else had before weighs, unless the price says that it is one sale', () => {
  expect(judgeText(own, 24_000, [elsewhere()])).toMatchObject({ signal: 'copied_text', weight: 50 });
  expect(judgeText(own, 42_000, [elsewhere()])).toMatchObject({ signal: 'copied_text', weight: 30 });
  expect(judgeText(own, 60_000, [elsewhere()])).toMatchObject({ weight: 5 });
  expect(
    judgeText(own, 24_000, [
      elsewhere({ description: `Quite another text. ${'It sails well in any wind. '.repeat(9)}` }),
    ]),
  ).toBeUndefined();
});

test('a price weighs by how far it is below a guidance that is sure', () => {
  const guidance = { median: 60_000, currency: 'EUR', listings: 12, isSure: true };
  expect(judgePriceGap(24_000, guidance)).toMatchObject({ details: { price: { ratio: 0.4, listings: 12 } } });
  expect(judgePriceGap(24_000, { ...guidance, isSure: false })).toBeUndefined();
  expect(judgePriceGap(50_000, guidance)).toBeUndefined();
});

test('contact details weigh little in a description, more in disguise, and are told without being repeated', () => {
  const plain = judgeContacts({ title: 'Yacht', description: 'Call +49 431 1234567.' });
  const hidden = judgeContacts({ title: 'Yacht', description: 'anna (at) mail (dot) com' });
  expect(plain!.weight).toBeLessThan(hidden!.weight);
  expect(JSON.stringify(plain)).not.toContain('1234567');
});

test('only accounts that are new weigh, more with something dear, and with many publications', () => {
  expect(judgeAccount(9_000, 3, rules)).toMatchObject({ weight: 20, reason: expect.stringContaining('3 days') });
  expect(judgeAccount(900, 3, rules)).toMatchObject({ weight: 10 });
  expect(judgeAccount(9_000, 30, rules)).toBeUndefined();
  expect(judgeVelocity(8, 1, rules)).toMatchObject({ details: { published_within_hour: 8 } });
  expect([judgeVelocity(8, 30, rules), judgeVelocity(2, 1, rules)]).toEqual([undefined, undefined]);
});

test('what a moderator has approved counts no more; what is new beside it does', () => {
  const images = judgeImages(own, 24_000, [shared(elsewhere())])!;
  const cleared = new Set(images.keys);
  expect(scoreOf(uncleared([images], cleared))).toBe(0);
  const more = judgeImages(own, 24_000, [shared(elsewhere()), shared(elsewhere(), 'b')])!;
  expect(scoreOf(uncleared([more], cleared))).toBe(more.weight);
});
