import type { RawRecord } from '../../shared/normalize/record-type.ts';
import { readBreadcrumbs } from './breadcrumbs.ts';
import { canonicalAvailability } from './availability.ts';
import { canonicalUrl, identifyPage } from './identity.ts';
import type { Item } from './items.ts';
import { readJsonLd } from './jsonld.ts';
import { mapProduct } from './map-product.ts';
import { readMicrodata } from './microdata.ts';
import { isProductPage, readMetaTags, readOpenGraph } from './opengraph.ts';
import type { MetaTags } from './opengraph.ts';
import { parsePage, resolveUrl } from './page.ts';
import type { Page } from './page.ts';
import { readRdfa } from './rdfa.ts';
import { reconcile } from './reconcile.ts';
import type { Statement } from './reconcile.ts';
import { selectProducts } from './select-product.ts';
import type { Candidate, PageIdentity } from './select-product.ts';

const MAX_RECORDS = 500;

/**
 * The things a page offers by its structured data (JSON-LD, microdata, RDFa, OpenGraph, in this order of trust): one
 * record for a detail page, one per entry with its own address for a list page, none when nothing is for sale.
 * Never throws, whatever the HTML.
 */
export function extractStructured(html: string, url: string): RawRecord[] {
  return structuredRecords(parsePage(html, url));
}

/** `extractStructured` of a page that is already parsed. */
export function structuredRecords(page: Page): RawRecord[] {
  const { url: address, detail, general, list } = readStructured(page);
  return detail.length > 0 ? [reconcile(address, [...detail, ...general])] : list;
}

/** What the structured data of a page says, before it is reconciled with anything else. */
export type Structured = {
  /** The page's canonical address. */
  url: string;
  tags: MetaTags;
  /** What the page calls itself. */
  titles: string[];
  /** Statements about the page's own thing, in the order of trust; empty when the data names none. */
  detail: Statement[];
  /** Statements that fit the page whatever it shows: OpenGraph texts, breadcrumbs. */
  general: Statement[];
  /** One record per listed thing; empty for a detail page. */
  list: RawRecord[];
  /** True when the page lists things, also such that name no address. */
  isList: boolean;
};

/** Reads the structured data of a page that is already parsed. */
export function readStructured(page: Page): Structured {
  const tags = readMetaTags(page);
  const url = canonicalUrl(page);
  const identity = identifyPage(page, url, tags);
  const syntaxes = [
    { source: 'jsonld', roots: readJsonLd(page) },
    { source: 'microdata', roots: readMicrodata(page) },
    { source: 'rdfa', roots: readRdfa(page) },
  ].map(({ source, roots }) => ({ source, roots, ...selectProducts(roots, identity) }));

  const breadcrumbs = syntaxes.flatMap(({ source, roots }): Statement[] => {
    const crumbs = readBreadcrumbs(roots);
    return crumbs ? [{ source, facts: { breadcrumbs: crumbs } }] : [];
  });
  const shown = { source: 'opengraph', facts: openGraphFacts(tags, page) };
  const detail = syntaxes.flatMap(({ source, main }) => (main ? [detailStatement(source, main, page, identity)] : []));
  if (detail.length === 0 && isProductPage(tags)) detail.push(shown);
  const list = detail.length > 0 ? [] : listRecords(syntaxes, breadcrumbs, page);
  const isList = detail.length === 0 && syntaxes.some((syntax) => syntax.isList);
  return { url, tags, titles: identity.titles, detail, general: [shown, ...breadcrumbs], list, isList };
}

function detailStatement(source: string, main: Item, page: Page, identity: PageIdentity): Statement {
  return { source, facts: mapProduct(main, page.base, identity.isOwnUrl) };
}

function openGraphFacts(tags: MetaTags, page: Page): Partial<RawRecord> {
  const facts = readOpenGraph(tags, page.base);
  return { ...facts, availability: canonicalAvailability(facts.availability) };
}

/** Entries of different syntaxes are one when their addresses agree. */
function listRecords(
  syntaxes: { source: string; list: Candidate[] }[],
  breadcrumbs: Statement[],
  page: Page,
): RawRecord[] {
  const byUrl = new Map<string, Statement[]>();
  for (const { source, list } of syntaxes) {
    for (const { item, url } of list) {
      const address = url === undefined ? undefined : resolveUrl(url, page.base);
      if (address === undefined || (byUrl.size >= MAX_RECORDS && !byUrl.has(address))) continue;
      const isOwnUrl = (link: string) => resolveUrl(link, page.base) === address;
      const statement = { source, facts: mapProduct(item, page.base, isOwnUrl) };
      byUrl.set(address, [...(byUrl.get(address) ?? []), statement]);
    }
  }
  return [...byUrl].map(([url, statements]) => reconcile(url, [...statements, ...breadcrumbs]));
}
