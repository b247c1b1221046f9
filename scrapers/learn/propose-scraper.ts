import type { Catalog } from '../../shared/catalog/tree.ts';
import type { PageRole, SiteProposal } from '../../shared/scrapers/proposal.ts';
import { patternProblem } from '../../shared/scrapers/pattern.ts';
import { defaultSite } from '../../shared/scrapers/settings.ts';
import { lineOf } from '../../shared/kit/html/text.ts';
import { rankEntries, type Entries } from './choose-entries.ts';
import { learnFields, mostOften, round } from './learn-fields.ts';
import { learnSelectors } from './learn-selectors.ts';
import { isPaged, pagerPages } from './pager-pages.ts';
import { inducePaginationPattern } from './pagination-pattern.ts';
import { isRecordPage, type LookedAtPage, type PageFacts } from './read-page-facts.ts';

const MAX_EXAMPLES = 10;
const MAX_START_URLS = 20;
const MAX_NAME = 100;
/** Below this a pattern would rather keep things from being found. */
const MIN_COVERAGE = 0.8;
/** So many of the records have to be of one category before it is that of all. */
const MIN_CATEGORY_SHARE = 0.8;
const MIN_CATEGORY_CONFIDENCE = 0.5;

/**
 * Proposes a scraper from the pages of a site that were looked at. What is not certain is left to the general rules: no
 * pattern rather than a wrong one, and selectors only where they read more than general extraction and lose nothing.
 */
export function proposeScraper(
  start: string,
  looked: readonly LookedAtPage[],
  pages: readonly PageFacts[],
  catalog: Pick<Catalog, 'mapCategory'>,
): SiteProposal {
  const [entries] = rankEntries(pages);
  const lists = pagerPages(pages, entries);
  const link = linksOf(entries);
  const matches = link.pattern === null ? undefined : new RegExp(link.pattern); // built at run time: from classes and escaped parts of addresses of 2,048 characters at most
  const all = pages.filter((page) => isRecordPage(page) && !lists.includes(page));
  const matched = all.filter(({ url }) => matches?.test(url));
  const things = matched.length > 0 ? matched : all;
  const pagination = paginationOf(pages, lists, entries, matches);
  const selectors = learnSelectors(things);
  const category = categoryOf(things, catalog);
  const [first] = pages;
  const notes = [
    ...notesOf(entries, things, pagination),
    ...looked.flatMap(({ problem }) => problem ?? []).slice(0, 3),
  ];
  const roles = new Map<string, PageRole>(pages.map((page) => [page.url, roleOf(page, lists, entries)]));
  return {
    scraper: {
      name: first ? nameOf(first) : defaultSite([start]),
      site: defaultSite([start]),
      kind: looked[0]?.isRendered === true ? 'browser' : 'http',
      start_urls: startsOf(start, pages, entries),
      link_pattern: link.pattern,
      pagination_pattern: pagination.pattern,
      extract: selectors ? { mode: 'selectors', selectors } : { mode: 'structured' },
      category_id: category.id,
    },
    links: {
      confidence: link.confidence,
      examples: (entries?.urls ?? []).slice(0, MAX_EXAMPLES),
      looked_at: entries?.looked ?? 0,
      records: entries?.records ?? 0,
    },
    pagination: { confidence: pagination.confidence, examples: pagination.examples },
    category: { confidence: category.confidence },
    fields: learnFields(things.flatMap((page) => page.records.slice(0, 1).map((record) => ({ page, record })))),
    pages: looked.map(({ url, html }) => ({
      url,
      role: html === undefined ? 'unreadable' : (roles.get(url) ?? 'other'),
    })),
    notes,
  };
}

function linksOf(entries: Entries | undefined): { pattern: string | null; confidence: number } {
  if (!entries || entries.induced.coverage < MIN_COVERAGE || patternProblem(entries.induced.pattern) !== undefined)
    return { pattern: null, confidence: 0 };
  const { coverage, strays, pattern } = entries.induced;
  // Looked at and no record anywhere: the links lead to something else, and all pages are asked instead.
  if (entries.looked >= 3 && entries.records === 0) return { pattern: null, confidence: 0 };
  const share = entries.looked === 0 ? 0.5 : entries.records / entries.looked;
  return { pattern, confidence: round(coverage * (1 - strays / 2) * (0.4 + 0.6 * share)) };
}

type Pagination = { pattern: string | null; confidence: number; examples: string[] };

/** Certain when the next page was looked at and lists other things of the same kind. */
function paginationOf(
  pages: readonly PageFacts[],
  lists: PageFacts[],
  entries: Entries | undefined,
  matches: RegExp | undefined,
): Pagination {
  const none = { pattern: null, confidence: 0, examples: [] };
  const pagers = lists.map(({ pager }) => pager);
  // Pages of things link to lists of their own, which this is not about.
  const others = pages.flatMap(({ links }) => links);
  const pattern = inducePaginationPattern(pagers, others);
  if (pattern === undefined || patternProblem(pattern) !== undefined) return none;
  const expression = new RegExp(pattern); // built at run time: from classes and escaped parts of addresses of 2,048 characters at most
  const turning = [
    ...new Set(pagers.flatMap(({ next, numbered }) => [...numbered, ...(next === undefined ? [] : [next])])),
  ];
  const examples = turning.filter((url) => expression.test(url)).slice(0, MAX_EXAMPLES);
  const coverage = turning.filter((url) => expression.test(url)).length / turning.length;
  // A pattern that matches things would read them as lists.
  if (entries?.urls.some((url) => expression.test(url))) return none;
  const [first, ...rest] = lists;
  const known = new Set(first?.links);
  const isTurned = rest.some(
    (page) => expression.test(page.url) && page.links.some((url) => matches?.test(url) && !known.has(url)),
  );
  const proof = isTurned ? 1 : pagers.some(({ numbered }) => numbered.length >= 2) ? 0.7 : 0.5;
  return { pattern, confidence: round(coverage * proof), examples };
}

function categoryOf(
  things: readonly PageFacts[],
  catalog: Pick<Catalog, 'mapCategory'>,
): { id: string | null; confidence: number } {
  const mapped = things.flatMap(({ records: [record] }) => {
    if (!record) return [];
    const hint = record.category ?? record.breadcrumbs?.join(' > ');
    return [catalog.mapCategory({ title: record.title ?? '', ...(hint !== undefined && { category_hint: hint }) })];
  });
  const certain = mapped.filter(({ confidence }) => confidence >= MIN_CATEGORY_CONFIDENCE);
  const id = mostOften(certain.map(({ id: each }) => each));
  const share = mapped.length === 0 ? 0 : certain.filter((each) => each.id === id).length / mapped.length;
  return share >= MIN_CATEGORY_SHARE && mapped.length >= 3
    ? { id, confidence: round(share) }
    : { id: null, confidence: 0 };
}

/**
 * The address that was given, when it lists things, with the paged lists that it leads to when it has no further pages itself;
 * else the pages found that list things.
 */
function startsOf(start: string, pages: readonly PageFacts[], entries: Entries | undefined): string[] {
  const [first] = pages;
  if (!entries || !first || (entries.lists.includes(first) && isPaged(first))) return [start];
  const turned = new Set(entries.lists.flatMap(({ pager: { numbered, next } }) => [...numbered, next]));
  const lists = entries.lists.filter((list) => list !== first && !turned.has(list.url));
  const isListing = entries.lists.includes(first);
  const starts = (isListing ? lists.filter(isPaged) : lists).map(({ url }) => url);
  return isListing || starts.length === 0
    ? [start, ...starts].slice(0, MAX_START_URLS)
    : starts.slice(0, MAX_START_URLS);
}

function roleOf(page: PageFacts, lists: readonly PageFacts[], entries: Entries | undefined): PageRole {
  if (lists.includes(page) && entries) return 'list';
  return isRecordPage(page) ? 'thing' : 'other';
}

function nameOf({ page }: PageFacts): string {
  const site = page.elements.find(({ name, attribs }) => name === 'meta' && attribs.property === 'og:site_name');
  const title = page.elements.find(({ name }) => name === 'title');
  const name = site?.attribs.content?.trim() || (title && lineOf(title, MAX_NAME)) || defaultSite([page.url]);
  return name.slice(0, MAX_NAME);
}

function notesOf(entries: Entries | undefined, things: readonly PageFacts[], pagination: Pagination): string[] {
  return [
    ...(entries ? [] : ['No page that was looked at lists anything: every page of the site would be asked.']),
    ...(things.length === 0 ? ['No page that was looked at holds a record.'] : []),
    ...(entries && pagination.pattern === null ? ['Nothing was found that turns the pages of the list.'] : []),
  ];
}
