import { createHash } from 'node:crypto';
import { planPages } from '../../scrapers/learn/plan-pages.ts';
import { pagerPages } from '../../scrapers/learn/pager-pages.ts';
import { rankEntries } from '../../scrapers/learn/choose-entries.ts';
import { inducePaginationPattern } from '../../scrapers/learn/pagination-pattern.ts';
import { readPageFacts, type PageFacts } from '../../scrapers/learn/read-page-facts.ts';
import { resolveUrl, parsePage } from '../../scrapers/extract/page.ts';
import { pageLinks } from '../../scrapers/extract/links.ts';
import { readHtml, readRows } from './extract-data.ts';
import { entryTruth, listTruth } from './learn-truth.ts';

type Saved = { url: string; html: string; labels?: Record<string, string> };
type Site = { name: string; pages: Saved[]; start: Saved; entries?: RegExp };
const isHeldOut = (name: string) => createHash('sha256').update(name).digest()[0]! % 3 === 0;
const host = (u: string) => new URL(u).hostname;

function sites(): Site[] {
  const byHost = new Map<string, Saved[]>();
  for (const row of readRows('html-pagination/labels.csv') ?? []) {
    const url = row['Page URL'] ?? '';
    byHost.set(host(url), [
      ...(byHost.get(host(url)) ?? []),
      { url, html: readHtml(`html-pagination/${row['File Name']}.html.gz`), labels: row },
    ]);
  }
  const paged = [...byHost].map(([name, pages]): Site => ({
    name,
    pages,
    start: pages.find(({ labels }) => labels?.PAGE || labels?.NEXT || labels?.PREV) ?? pages[0]!,
    entries: entryTruth[name],
  }));
  const lists = listTruth.map(([file, url, entries]): Site => {
    const page = { url, html: readHtml(`html-listing-pages/${file}.html.gz`) };
    return { name: file, pages: [page], start: page, entries };
  });
  return [...paged, ...lists];
}

function learn({ pages, start }: Site): PageFacts[] {
  const asked = new Set([start.url]);
  const facts = [readPageFacts(start.html, start.url)];
  for (let plan = planPages(facts, asked); plan.length > 0; plan = planPages(facts, asked)) {
    for (const url of plan) {
      asked.add(url);
      const saved = pages.find((each) => each.url === url);
      if (saved) facts.push(readPageFacts(saved.html, saved.url));
    }
  }
  return facts;
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
        const anchor = $element.is('a') ? $element : $element.find('a').add($element.closest('a'));
        const href = anchor.attr('href');
        if (isNumbered && !/^\s*\[?\d+\]?\s*$/.test($element.text())) return [];
        const url = href === undefined ? undefined : resolveUrl(href, page.base);
        return url === undefined ? [] : [url];
      });
  });
}
const shape = (u: string) => u.replaceAll(/\d+/g, '#');

const verbose = process.argv.includes('-v');
export async function benchLearn(): Promise<void> {
  const tally: Record<string, [number, number]> = {};
  const note = (what: string, name: string, ok: boolean) => {
    const key = `${what} ${isHeldOut(name) ? 'held out' : 'seen'}`;
    tally[key] ??= [0, 0];
    tally[key][1] += 1;
    if (ok) tally[key][0] += 1;
  };
  for (const site of sites()) {
    const facts = learn(site);
    const [best] = rankEntries(facts);
    const show = verbose && !isHeldOut(site.name);
    if (site.entries) {
      const re = best && new RegExp(best.induced.pattern);
      const w = new Set<string>(),
        f = new Set<string>(),
        r = new Set<string>();
      for (const saved of site.pages) {
        for (const link of pageLinks(parsePage(saved.html, saved.url))) {
          const thing = site.entries.exec(link)?.[0];
          const is = re?.test(link) ?? false;
          if (thing !== undefined) w.add(thing);
          if (is) f.add(thing ?? link);
          if (is && thing !== undefined) r.add(thing);
        }
      }
      const right = r.size,
        found = f.size,
        wanted = w.size;
      const ok = right >= 0.9 * wanted && right >= 0.9 * found && found > 0;
      note('links', site.name, ok);
      if (show && !ok)
        console.log(
          'LINK',
          site.name,
          site.start.url.slice(0, 80),
          `right ${right} found ${found} wanted ${wanted}`,
          best?.induced.pattern,
          best?.urls.slice(0, 2),
        );
    }
    if (site.start.labels && !site.start.labels.failed) {
      const lists = pagerPages(facts, best);
      const others = lists.flatMap(({ links }) => links);
      const pattern = inducePaginationPattern(
        lists.map(({ pager }) => pager),
        others,
      );
      const re = pattern === undefined ? undefined : new RegExp(pattern);
      let missed = 0,
        wanted = 0,
        extra = 0,
        found = 0;
      for (const saved of site.pages) {
        const all = [...labelled(saved, ['NEXT']), ...labelled(saved, ['PAGE'], true)];
        const truth = new Set(
          all.filter((u) => u !== saved.url && u !== site.start.url && !all.some((o) => o !== u && o.startsWith(u))),
        );
        const around = new Set(labelled(saved, ['NEXT', 'PAGE', 'PREV', 'LAST', 'FIRST']).map(shape));
        const links = pageLinks(parsePage(saved.html, saved.url));
        const isPaged = around.size > 0;
        for (const u of truth)
          if (!/^javascript/.test(u)) {
            wanted += 1;
            if (!re?.test(u)) missed += 1;
          }
        if (isPaged)
          for (const link of links)
            if (re?.test(link)) {
              found += 1;
              if (!around.has(shape(link))) extra += 1;
            }
      }
      const none = site.pages.every(({ labels }) => !labels?.NEXT && !labels?.PAGE && !labels?.PREV);
      const ok = none
        ? re === undefined
        : re !== undefined && missed <= 0.1 * wanted && extra <= 0.2 * found && found > 0;
      note('pagination', site.name, ok);
      if (show && !ok)
        console.log(
          'PAGE',
          site.name,
          site.start.url.slice(0, 80),
          `missed ${missed} of ${wanted} extra ${extra} of ${found}`,
          none ? 'NONE' : '',
          pattern,
        );
    }
  }
  for (const [k, [a, b]] of Object.entries(tally)) console.log(k, `${a}/${b}`, (a / b).toFixed(3));
}
if (import.meta.main) await benchLearn();
