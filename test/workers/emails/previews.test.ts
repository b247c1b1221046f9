import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { load } from 'cheerio';
import { describe, expect, test } from 'vitest';
import { readConfig } from '../../../shared/kit/config.ts';
import { renderPreviews, writePreviews } from '../../../workers/emails/preview.ts';
import { templates } from '../../../workers/emails/templates.ts';

const locales = ['en', 'es', 'fr', 'de', 'it', 'ko', 'ja'];
const config = readConfig({});
const previews = renderPreviews(config);
const byName = Object.keys(templates).map(
  (name) => [name, previews.filter(({ template }) => template === name)] as const,
);

describe.each(byName)('%s', (name, mails) => {
  test('is written in seven languages, each in words of its own', () => {
    expect(mails.map(({ locale }) => locale)).toEqual(locales);
    const bodies = mails.map(({ text }) => text);
    expect(new Set(bodies).size).toBe(locales.length);
    expect(mails.filter(({ subject }) => subject.length < 3 || subject.length > 120)).toEqual([]);
    for (const { locale, text } of mails) {
      if (locale === 'ko') expect(text).toMatch(/\p{Script=Hangul}{2}/u);
      if (locale === 'ja') expect(text).toMatch(/\p{Script=Hiragana}{2}/u);
      if (locale !== 'ko' && locale !== 'ja') expect(text).not.toMatch(/\p{Script=Hangul}|\p{Script=Hiragana}/u);
    }
  });

  test('leaves no place in it unfilled', () => {
    for (const { subject, text } of mails)
      expect(`${subject}\n${text}`).not.toMatch(/\b(?:undefined|null|NaN)\b|\[object|\$\{|Invalid Date/);
  });

  test('says the same as HTML and as text', () => {
    for (const { html, text } of mails) {
      const page = load(html);
      const words = (part: string) => part.replaceAll(/[\s>]+/g, ' ').trim();
      for (const paragraph of page('main p, main blockquote, footer a').toArray())
        expect(words(text)).toContain(words(page(paragraph).text()));
      for (const link of page('a').toArray()) expect(text).toContain(page(link).attr('href'));
    }
  });

  test(`${templates[name]?.essential ? 'is essential: it' : 'is not essential: it'} ${
    templates[name]?.essential ? 'cannot be unsubscribed' : 'ends with the link that stops such mail'
  }`, () => {
    for (const { html } of mails) {
      const last = load(html)('footer a').attr('href') ?? '';
      expect(last.includes('/unsubscribe?token=')).toBe(templates[name]?.essential === false);
    }
  });
});

test('the README lists every mail, and says rightly which are essential', () => {
  const readme = readFileSync(new URL('../../../README.md', import.meta.url), 'utf8');
  const rows = [...readme.matchAll(/^\| `([a-z-]+)` \| [^|]+ \| (yes|no) \|$/gm)].map(([, name, essential]) => [
    name,
    essential === 'yes',
  ]);
  expect(Object.fromEntries(rows)).toEqual(
    Object.fromEntries(Object.entries(templates).map(([name, template]) => [name, template?.essential])),
  );
});

test('a preview is one file per mail, language and form, and a page that shows them all', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'quayside-mails-'));
  try {
    expect(await writePreviews(folder, config)).toBe(previews.length);
    const files = previews.flatMap(({ template, locale }) => [
      `${template}.${locale}.html`,
      `${template}.${locale}.txt`,
    ]);
    expect(readdirSync(folder).toSorted()).toEqual([...files, 'index.html', 'photo.svg'].toSorted());
    const index = readFileSync(join(folder, 'index.html'), 'utf8');
    expect(files.filter((file) => !index.includes(`"${file}"`))).toEqual([]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
