import { afterEach, expect, test } from 'vitest';
import { readPageContent } from '../../../scrapers/crawl/page-content.ts';
import { createPageReader, type PageReader } from '../../../scrapers/crawl/page-reader.ts';
import { boatPage, listPage } from './support.ts';

const scope = { site: 'boats.example', startUrls: [] };
const extract = { mode: 'structured' as const };
const readers: PageReader[] = [];
afterEach(async () => {
  for (const reader of readers.splice(0)) await reader.close();
});

function startReader(limits: { heapMb?: number; limitMs?: number } = {}): PageReader {
  const reader = createPageReader({ scope, extract }, { limitMs: 60_000, ...limits });
  readers.push(reader);
  return reader;
}

test('pages are read as they are without a thread, each answer to its own page', async () => {
  const reader = startReader();
  const pages = [
    { html: boatPage('Bavaria 37'), url: 'https://boats.example/boats/one' },
    { html: listPage(['/boats/one', '/boats/two'], '/boats?page=2'), url: 'https://boats.example/boats' },
    { html: '', url: 'https://boats.example/nothing' },
  ];
  const read = await Promise.all(pages.map(({ html, url }) => reader.read(html, url)));
  expect(read).toEqual(pages.map(({ html, url }) => readPageContent(html, url, scope, extract)));
});

test('a page that takes too long is given up', async () => {
  const reader = startReader({ limitMs: 1 });
  const slow = reader.read(boatPage('Slow'), 'https://boats.example/boats/slow');
  await expect(slow).rejects.toThrow('The page takes too long to read.');
});

test('a page that takes too much memory is given up', async () => {
  const reader = startReader({ heapMb: 24 });
  const huge = listPage(Array.from({ length: 300_000 }, (_, i) => `/boats/${i}`));
  await expect(reader.read(huge, 'https://boats.example/boats')).rejects.toThrow(
    'The page takes too much memory to read.',
  );
  const next = await reader.read(boatPage('Bavaria 37'), 'https://boats.example/boats/one');
  expect(next.own?.title).toBe('Bavaria 37');
});
