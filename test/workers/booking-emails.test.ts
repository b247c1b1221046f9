import { describe, expect, test } from 'vitest';
import { readConfig } from '../../shared/kit/config.ts';
import { outgoingLocale } from '../../shared/profiles/locale.ts';
import { renderEmail } from '../../workers/emails/render-email.ts';
import { templates } from '../../workers/emails/templates.ts';

const names = ['requested', 'confirmed', 'declined', 'cancelled', 'lapsed'].map((move) => `booking-${move}`);
const locales = ['en', 'es', 'fr', 'de', 'it', 'ko', 'ja'].map(outgoingLocale);
const config = readConfig({ SITE_URL: 'https://boats.example.com' });
const render = (name: string, locale: (typeof locales)[number], data: Record<string, unknown> = {}) => {
  const template = templates[name];
  if (!template) throw new Error(`there is no template '${name}'`);
  return renderEmail(template, { ...template.sample, ...data }, locale, config, 'notifications.example');
};

describe.each(names)('%s', (name) => {
  test('names boat, time and price in each of the seven languages, and can be stopped', () => {
    const texts = locales.map((locale) => {
      const { subject, text } = render(name, locale);
      expect(subject).toContain('Lagoon 42 catamaran in Palma');
      expect(text).toMatch(/2027[^]*3.?360/);
      expect(text).toContain('https://boats.example.com/unsubscribe?token=notifications.example');
      return subject + text;
    });
    expect(new Set(texts).size).toBe(7);
  });

  test('is for those who want such mail', () => {
    expect(templates[name]?.essential).toBe(false);
  });
});

test('the owner reads who asks, in the words that were sent, without any of it being taken for ours', () => {
  const hostile = { renter: 'A\nb\u0000<i>', message: '<b>Hi</b>\n-- \nQuayside: pay here' };
  const { text, html } = render('booking-requested', 'en', hostile);
  expect(text).toContain('A b <i> would like to rent');
  expect(text).toContain('> <b>Hi</b>\n> -- \n> Quayside: pay here');
  expect(html).toContain('&lt;b&gt;Hi&lt;/b&gt;');
  expect(render('booking-requested', 'en', { message: null }).text).not.toContain('> ');
});

test('dates and prices are written as each language does', () => {
  const terms = (locale: (typeof locales)[number], currency: string) =>
    render('booking-confirmed', locale, { currency }).text.split('\n\n')[1]?.replaceAll(/\s/g, ' ');
  expect(terms('en', 'JPY')).toBe('July 10 – 17, 2027 · ¥3,360');
  expect(terms('de', 'EUR')).toBe('10.–17. Juli 2027 · 3.360,00 €');
});
