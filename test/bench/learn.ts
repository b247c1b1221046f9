import { createHash } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { extractPage } from '../../scrapers/extract/extract-page.ts';
import { collectPageLinks } from '../../scrapers/extract/links.ts';
import { parsePage, resolveUrl } from '../../scrapers/extract/page.ts';
import { planPages } from '../../scrapers/learn/plan-pages.ts';
import { proposeScraper } from '../../scrapers/learn/propose-scraper.ts';
import { readPageFacts, type LookedAtPage, type PageFacts } from '../../scrapers/learn/read-page-facts.ts';
import { buildCatalog } from '../../shared/catalog/tree.ts';
import type { RawRecord } from '../../shared/normalize/record-type.ts';
import { profileOf } from '../../shared/profiles/read-profile.ts';
import type { SiteProposal } from '../../shared/scrapers/proposal.ts';
import { dataFile } from '../support/data.ts';
import { readHtml, readRows } from './extract-data.ts';
import { entryTruth, listTruth } from './learn-truth.ts';

type Saved = { url: string; html: string; labels?: Record<string, string> };
type Site = { name: string; pages: Saved[]; start: Saved; entries?: RegExp | undefined };
type Verdict = { what: string; name: string; isRight: boolean; note: string };

const TARGET = 0.9;
const catalog = buildCatalog(profileOf('general'));
/** A third of the sites by hash: rules were written while looking at failures of the others alone. */
const isHeldOut = (name: string) => (createHash('sha256').update(name).digest()[0] ?? 0) % 3 === 0;
const hostOf = (url: string) => new URL(url).hostname;
const shapeOf = (url: string) => url.replaceAll(/\d+/g, '#');

/** Prints on how many saved sites link pattern, pagination and fields are right, seen and held out. */
export async function benchLearn(): Promise<void> {
  const verdicts = savedSites().flatMap((site) => {
    const proposal = learn(site);
    return [...judgeLinks(site, proposal), ...judgePagination(site, proposal)];
  });
  verdicts.push(...judgeFields());
  for (const what of new Set(verdicts.map((each) => each.what))) {
    for (const held of [false, true]) {
      const judged = verdicts.filter((each) => each.what === what && isHeldOut(each.name) === held);
      const right = judged.filter(({ isRight }) => isRight).length;
      const share = right / judged.length;
      const mark = share >= TARGET ? `  >= ${TARGET}` : `  MISSED: ${TARGET}`;
      console.log(
        `${what.padEnd(34)} ${held ? 'held out' : 'seen    '} ${right}/${judged.length} ${share.toFixed(3)}${mark}`,
      );
      if (!held) for (const { name, note, isRight } of judged) if (!isRight) console.log(`    ${name}: ${note}`);
    }
  }
}

function savedSites(): Site[] {
  const byHost = new Map<string, Saved[]>();
  for (const row of readRows('html-pagination/labels.csv') ?? []) {
    const url = row['Page URL'] ?? '';
    const saved = { url, html: readHtml(`html-pagination/${row['File Name']}.html.gz`), labels: row };
    byHost.set(hostOf(url), [...(byHost.get(hostOf(url)) ?? []), saved]);
  }
  const paged = [...byHost].flatMap(([name, pages]): Site[] => {
    const start = pages.find(({ labels }) => labels?.PAGE || labels?.NEXT || labels?.PREV) ?? pages[0];
    return start ? [{ name, pages, start, entries: entryTruth[name] }] : [];
  });
  const lists = listTruth.map(([name, url, entries]): Site => {
    const page = { url, html: readHtml(`html-listing-pages/${name}.html.gz`) };
    return { name, pages: [page], start: page, entries };
  });
  return [...paged, ...lists];
}

/** Learns from the start page and those of the saved pages that it asks for; pages that were not saved cannot be had. */
function learn({ pages, start }: Site): SiteProposal {
  const asked = new Set([start.url]);
  const looked: LookedAtPage[] = [{ url: start.url, html: start.html }];
  const facts: PageFacts[] = [readPageFacts(start.html, start.url)];
  for (let plan = planPages(facts, asked); plan.length > 0; plan = planPages(facts, asked)) {
    for (const url of plan) {
      asked.add(url);
      const saved = pages.find((each) => each.url === url);
      looked.push(saved ? { url, html: saved.html } : { url, problem: 'It was not saved.' });
      if (saved) facts.push(readPageFacts(saved.html, url));
    }
  }
  return proposeScraper(start.url, looked, facts, catalog);
}

/** Right: nine of ten things that the site's saved pages link to are matched, and nine of ten matches are such things. */
function judgeLinks({ name, pages, entries }: Site, { scraper }: SiteProposal): Verdict[] {
  if (!entries) return [];
  const pattern = scraper.link_pattern === null ? undefined : new RegExp(scraper.link_pattern);
  const [wanted, found, right] = [new Set<string>(), new Set<string>(), new Set<string>()];
  for (const link of pages.flatMap(({ html, url }) => collectPageLinks(parsePage(html, url)))) {
    const thing = entries.exec(link)?.[0];
    if (thing !== undefined) wanted.add(thing);
    if (!pattern?.test(link)) continue;
    found.add(thing ?? link);
    if (thing !== undefined) right.add(thing);
  }
  const isRight = found.size > 0 && right.size >= TARGET * wanted.size && right.size >= TARGET * found.size;
  const note = `${right.size} right of ${found.size} found, ${wanted.size} wanted: ${scraper.link_pattern}`;
  return [{ what: 'link pattern', name, isRight, note }];
}

/** Right: nine of ten labelled links that turn a page are matched, and at most a fifth of the matches is none; none where none is. */
function judgePagination({ name, pages, start }: Site, { scraper }: SiteProposal): Verdict[] {
  if (!start.labels || start.labels.failed) return [];
  const pattern = scraper.pagination_pattern === null ? undefined : new RegExp(scraper.pagination_pattern);
  let [wanted, missed, found, strays] = [0, 0, 0, 0];
  for (const saved of pages) {
    const all = [...labelled(saved, ['NEXT']), ...labelled(saved, ['PAGE'], true)];
    // The first page has no number in its address.
    const isFirst = (url: string) => all.some((other) => other !== url && other.startsWith(url));
    const truth = new Set(all.filter((url) => url !== saved.url && url !== start.url && !isFirst(url)));
    const turning = new Set(labelled(saved, ['NEXT', 'PAGE', 'PREV', 'LAST', 'FIRST']).map(shapeOf));
    wanted += truth.size;
    missed += [...truth].filter((url) => !pattern?.test(url)).length;
    if (turning.size === 0) continue;
    const matched = collectPageLinks(parsePage(saved.html, saved.url)).filter((link) => pattern?.test(link));
    found += matched.length;
    strays += matched.filter((link) => !turning.has(shapeOf(link))).length;
  }
  const hasNone = pages.every(({ labels }) => !labels?.NEXT && !labels?.PAGE && !labels?.PREV);
  const isFound = pattern !== undefined && found > 0 && missed <= 0.1 * wanted && strays <= 0.2 * found;
  const note = `${missed} of ${wanted} missed, ${strays} of ${found} others: ${scraper.pagination_pattern}`;
  return [{ what: 'pagination', name, isRight: hasNone ? pattern === undefined : isFound, note }];
}

function labelled(saved: Saved, names: string[], isNumbered = false): string[] {
  const page = parsePage(saved.html, saved.url);
  return names.flatMap((name) => {
    const css = saved.labels?.[name];
    if (!css) return [];
    return page
      .$(css)
      .toArray()
      .flatMap((element) => {
        const $element = page.$(element);
        if (isNumbered && !/^\s*\[?\d+\]?\s*$/.test($element.text())) return [];
        const anchor = $element.is('a') ? $element : $element.find('a').add($element.closest('a'));
        const href = anchor.attr('href');
        return (href !== undefined && resolveUrl(href, page.base)) || [];
      });
  });
}

/** Right: on no saved page of a thing does the proposed way of reading lose or empty a field that general extraction reads. */
function judgeFields(): Verdict[] {
  const truth = dataFile('html-product-pages/ground-truth.json');
  if (truth === undefined) return [];
  const folder = 'html-product-pages/html';
  const byHost = new Map<string, Saved[]>();
  for (const file of readdirSync(dataFile(folder) ?? '')) {
    const html = readHtml(`${folder}/${file}`);
    const url = /<link[^>]+rel=["']?canonical["']?[^>]+href=["']([^"']+)/i.exec(html)?.[1];
    if (url === undefined || !/^https?:/.test(url)) continue;
    byHost.set(hostOf(url), [...(byHost.get(hostOf(url)) ?? []), { url, html }]);
  }
  return [...byHost].map(([name, pages]) => {
    const looked = pages.map(({ url, html }) => ({ url, html }));
    const facts = pages.map(({ url, html }) => readPageFacts(html, url));
    const { scraper } = proposeScraper(pages[0]?.url ?? '', looked, facts, catalog);
    const lost = pages.flatMap(({ url, html }) => {
      const [general] = extractPage(html, url, { mode: 'structured' });
      const [learnt] = extractPage(html, url, scraper.extract);
      return lostFields(general, learnt);
    });
    return { what: 'fields, against general extraction', name, isRight: lost.length === 0, note: lost.join(', ') };
  });
}

function lostFields(general: RawRecord | undefined, learnt: RawRecord | undefined): string[] {
  const sizeOf = (value: unknown) => (value === undefined ? 0 : Array.isArray(value) ? value.length : 1);
  const read = (record: RawRecord | undefined) => new Map(Object.entries(record ?? {}));
  return [...read(general)].flatMap(([name, value]) => (sizeOf(read(learnt).get(name)) < sizeOf(value) ? [name] : []));
}

if (import.meta.main) await benchLearn();
