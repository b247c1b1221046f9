import { expect, test } from 'vitest';
import { findContactDetails } from '../../../shared/moderation/contact-details.ts';

const kinds = (text: string) =>
  findContactDetails(text).map(({ kind, disguised }) => `${kind}${disguised ? ' in disguise' : ''}`);

test.each([
  ['Write to anna.p@mail.example.com for the survey.', ['email']],
  ['Call +49 431 1234567 after six.', ['phone']],
  ['Reach me on WhatsApp.', ['messenger']],
  ['wa.me/4915112345678', ['messenger']],
])('plain: %s', (text, found) => {
  expect(kinds(text)).toEqual(found);
});

test.each([
  ['Mail anna.p (at) mail (dot) com please', 'email'],
  ['anna.p [at] mail.com', 'email'],
  ['anna.p at gmail dot com', 'email'],
  ['zero one five one, two three four five six', 'phone'],
  ['Call null eins fünf eins 2 3 4 5 6', 'phone'],
  ['0 1 5 1 2 3 4 5 6 7', 'phone'],
  ['o151 2345 67o', 'phone'],
  ['w-h-a-t-s-a-p-p me', 'messenger'],
  ['on watsapp', 'messenger'],
])('in disguise: %s', (text, kind) => {
  expect(kinds(text)).toContain(`${kind} in disguise`);
});

test.each([
  'Two cabins, one head, four berths, three anchors and one dinghy for six people.',
  'Serviced on 07/01/2022; sails 2019, engine 3YM30, 27 hp, 1 450 hours.',
  'Lying at the berth in front of the yard (at the pontoon), look at all photos.',
  'Length 10.50 x 3.20 x 1.80 m, built 1988, 2 x 55 Ah, 12 V.',
  'The signal gun and the line of the spinnaker are new.',
])('no contact: %s', (text) => {
  expect(kinds(text)).toEqual([]);
});

test('ten at most, each once', () => {
  const text = Array.from({ length: 30 }, (_, index) => `a${index % 15}@mail.example.com`).join(' ');
  expect(findContactDetails(text)).toHaveLength(10);
});
