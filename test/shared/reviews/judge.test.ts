import { describe, expect, test } from 'vitest';
import { profileOf } from '../../../shared/profiles/read-profile.ts';
import { assertModeratedText } from '../../../shared/reviews/judge.ts';

const clock = { now: () => new Date('2026-05-04T09:00:00.000Z') };
const profile = profileOf('general');
const judge = (text: string, objections?: string[]) =>
  assertModeratedText({ aiModeration: objections && (() => Promise.resolve(objections)), clock, profile }, text);
const refusal = (reason: string) =>
  expect.objectContaining({ code: 'moderation_rejected', details: { reasons: [reason] } });

describe('a review may be', () => {
  test.each(['10/10', '👍👍👍', '!!!', 'ok', 'Alles bestens, gerne wieder.', '親切で迅速な対応でした。'])(
    '%s',
    async (text) => {
      await expect(judge(text)).resolves.toBeUndefined();
      await expect(judge(text, [])).resolves.toBeUndefined();
    },
  );
});

describe('a review may not be', () => {
  test.each([
    ['asdf qwer zxcv hjkl asdf qwer zxcv hjkl', 'gibberish'],
    ['Buy my cocaine instead, the seller is slow.', 'prohibited_goods'],
    [Array.from({ length: 8 }, (_, index) => `https://spam${index}.example.com`).join(' '), 'link_spam'],
    [
      'You reach my own yard, where everything is better, under 0151 2345671, 0151 2345672, 0151 2345673, 0151 2345674 or 0151 2345675.',
      'phone_spam',
    ],
  ])('%s', async (text, reason) => {
    await expect(judge(text)).rejects.toEqual(refusal(reason));
  });

  test('what the provider objects to, however short; the rules alone decide when it does not answer', async () => {
    await expect(judge('Nasty words.', ['harassment'])).rejects.toEqual(refusal('ai_moderation'));
    const silent = { aiModeration: () => Promise.resolve(undefined), clock, profile };
    await expect(assertModeratedText(silent, 'Nasty words.')).resolves.toBeUndefined();
  });
});
