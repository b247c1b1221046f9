import { readFileSync } from 'node:fs';
import { extractPage } from '../../scrapers/extract/extract-page.ts';
import { listingLinks } from '../../scrapers/extract/listing-links.ts';
import { nextPage } from '../../scrapers/extract/next-page.ts';
import { parsePage, resolveUrl } from '../../scrapers/extract/page.ts';
import { dataFile } from '../support/data.ts';
import { printFigures, readBytes, readHtml, readRows } from './extract-data.ts';
import type { Figure } from './extract-data.ts';

const FOLDER = 'html-listing-pages';

/** Saved lists whose entries are told by a pattern of their addresses, beside those with a list of ids. */
export const BY_PATTERN: [file: string, url: string, pattern: RegExp][] = [
  ['leboncoin-cars-2018-search', 'https://www.leboncoin.fr/voitures/offres/', /\/voitures\/\d+\.htm/],
  ['patchofland-list', 'https://patchofland.com/investments/', /\/investments\/[a-z\d-]+\.html/],
  ['wko-firmen', 'http://firmen.wko.at/Web/Ergebnis.aspx', /DetailsKontakt/],
  ['wg-gesucht-search', 'https://www.wg-gesucht.de/wg-zimmer-in-Berlin.8.0.1.0.html', /\.\d{5,}\.html/],
  ['maklarhuset-kalmar-search', 'https://www.maklarhuset.se/bostad/sverige/kalmar', /\/bostad\/sverige\/.*\/\d{5,}$/],
  ['olandsmaklaren-search', 'https://olandsmaklaren.se/till-salu', /\/bostad\/[^/]+\/[^/]+$/],
  ['fs-www.juno.co.uk-1', 'http://www.juno.co.uk/dj-equipment/dj-laptop-stands', /\/products\/.+\/\d+-\d+/],
  [
    'fs-www.sumka-style.ru-0',
    'http://www.sumka-style.ru/catalog/zhenskie-sumki/',
    /\/catalog\/[^/]+\/[^/]+\/\d[^/]*\/$/,
  ],
  ['fs-www.spartoo.pt-1', 'http://www.spartoo.pt/novidades-semana-homem-textil.php', /-x\d+\.php/],
  [
    'fs-www.thebookpeople.co.uk-4',
    'http://www.thebookpeople.co.uk/webapp/wcs/stores/servlet/CategoryDisplay',
    /qs_product_tbp/,
  ],
  ['fs-www.alo.bg-0', 'http://www.alo.bg/', /\/\d{6,}$/],
  ['fs-www.sidneyphillips.co.uk-4', 'http://www.sidneyphillips.co.uk/new.php', /fulldetails\.php\?prn=/],
  ['fs-www.cafepress.com-0', 'http://www.cafepress.com/philosophy_shop', /\/philosophy_shop\/\d+/],
];

/** How many of what was found and of what was wanted is right. */
export type Hits = { name: string; right: number; found: number; wanted: number };

/** Links to listings of the saved lists with truth: the ids of their entries, else the pattern of their addresses. */
export function measureListingLinks(): Hits[] {
  const truth = dataFile(`${FOLDER}/expected-listings.json`);
  if (truth === undefined) return [];
  const expected = JSON.parse(readFileSync(truth, 'utf8')) as Record<string, { listings?: { id: string }[] }>;
  const sites = new Map(readRows(`${FOLDER}/manifest.csv`)?.map(({ file = '', url = '' }) => [file, url]));
  const byId = Object.entries(expected).flatMap(([name, { listings }]): Hits[] => {
    if (!listings) return [];
    const ids = listings.map(({ id }) => id);
    const page = parsePage(readHtml(`${FOLDER}/${name}.gz`), sites.get(`${name}.gz`) ?? 'https://site.example/');
    const links = listingLinks(page);
    const right = links.filter((link) => ids.some((id) => link.includes(id))).length;
    return [{ name: name.replace('.html', ''), right, found: links.length, wanted: ids.length }];
  });
  const byPattern = BY_PATTERN.map(([file, url, pattern]): Hits => {
    const page = parsePage(readHtml(`${FOLDER}/${file}.html.gz`), url);
    const hrefs = page.elements
      .filter(({ name }) => name === 'a')
      .map(({ attribs }) => resolveUrl(attribs.href ?? '', url));
    const wanted = new Set(hrefs.filter((href) => href !== undefined && pattern.test(href)));
    const links = listingLinks(page);
    return {
      name: file,
      right: links.filter((link) => wanted.has(link)).length,
      found: links.length,
      wanted: wanted.size,
    };
  });
  return [...byId, ...byPattern];
}

/** The next links of the labelled list pages; a page counts as wanting one when its label names a link. */
export function measureNextLinks(): Hits[] {
  return (readRows('html-pagination/labels.csv') ?? []).map((row): Hits => {
    const name = row['File Name'] ?? '';
    const page = parsePage(readHtml(`html-pagination/${name}.html.gz`), row['Page URL'] ?? '');
    const labelled = row.NEXT ? page.$(row.NEXT).toArray() : [];
    const hrefs = labelled.flatMap((element) => {
      const $element = page.$(element);
      const anchor = $element.is('a') ? $element : $element.find('a').add($element.closest('a'));
      const href = anchor.attr('href');
      return href === undefined ? [] : [resolveUrl(href, page.base)];
    });
    const found = nextPage(page);
    const isRight = found !== undefined && hrefs.includes(found);
    return { name, right: Number(isRight), found: Number(found !== undefined), wanted: Number(hrefs.length > 0) };
  });
}

/** Recall and precision over all pages together. */
export function ratesOf(hits: Hits[]): { recall: number; precision: number } {
  const sum = (of: (hit: Hits) => number) => hits.reduce((total, hit) => total + of(hit), 0);
  const right = sum((hit) => hit.right);
  return { recall: right / sum(({ wanted }) => wanted), precision: right / sum(({ found }) => found) };
}

/** Reads every saved page as the crawler does: how many threw, how many were decoded cleanly, milliseconds of processor time. */
export function measureAllPages(): { pages: number; threw: number; clean: number; milliseconds: number } {
  const lists = readRows(`${FOLDER}/manifest.csv`)?.map(({ file = '', url = '' }) => [`${FOLDER}/${file}`, url]) ?? [];
  const paged = readRows('html-pagination/labels.csv')?.map((row) => [
    `html-pagination/${row['File Name']}.html.gz`,
    row['Page URL'] ?? '',
  ]);
  const count = { pages: 0, threw: 0, clean: 0, milliseconds: 0 };
  for (const [file = '', url = ''] of [...lists, ...(paged ?? [])]) {
    if (!file.endsWith('.html.gz')) continue;
    const bytes = readBytes(file);
    const started = process.cpuUsage().user;
    count.pages += 1;
    try {
      const html = readHtml(file);
      extractPage(html, url || 'https://site.example/', { mode: 'structured' });
      const page = parsePage(html, url || 'https://site.example/');
      listingLinks(page);
      nextPage(page);
      // What was not decoded shows as replacement signs, or as the pairs that UTF-8 read as something else leaves.
      if ((html.match(/\ufffd|Ã[\u0080-\u00bf]|â€/g) ?? []).length <= bytes.length / 20_000) count.clean += 1;
    } catch {
      count.threw += 1;
    }
    count.milliseconds += (process.cpuUsage().user - started) / 1_000;
  }
  return count;
}

/** Prints what was found of the links of saved lists, and that every page is read. */
export function benchPages(): void {
  const links = measureListingLinks();
  if (links.length === 0) return;
  const isById = ({ name }: Hits) => !BY_PATTERN.some(([file]) => file === name);
  for (const { name, right, found, wanted } of links.filter(({ right: r, found: f, wanted: w }) => r < w || r < f)) {
    console.log(`  ${name}: ${right} right of ${found} found, ${wanted} wanted`);
  }
  const figures = (title: string, hits: Hits[], target: number): Figure[] => {
    const { recall, precision } = ratesOf(hits);
    return [
      { name: `${title}, recall`, value: recall, target },
      { name: `${title}, precision`, value: precision, target },
    ];
  };
  printFigures('Links to listings', [
    ...figures('by id', links.filter(isById), 0.95),
    ...figures(
      'by pattern of their addresses',
      links.filter((hit) => !isById(hit)),
      0.95,
    ),
  ]);
  printFigures('Next pages', figures('next link', measureNextLinks(), 0.85));
  const all = measureAllPages();
  printFigures('Every saved page', [
    {
      name: 'read without an error',
      value: (all.pages - all.threw) / all.pages,
      target: 1,
      note: `${all.pages} pages`,
    },
    { name: 'decoded cleanly', value: all.clean / all.pages, target: 0.98 },
    { name: 'processor milliseconds per page', value: all.milliseconds / all.pages },
  ]);
}
