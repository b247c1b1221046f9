// The thread in which the pages of one learning are read: it remembers what it has read of each.
import { workerData } from 'node:worker_threads';
import { z } from 'zod';
import { buildCatalog } from '../../shared/catalog/tree.ts';
import { marketplaceSchema } from '../../shared/profiles/schema.ts';
import type { OutlineBlock, SiteProposal } from '../../shared/scrapers/proposal.ts';
import { outlinePage } from './outline-page.ts';
import { planPages } from './plan-pages.ts';
import { proposeScraper } from './propose-scraper.ts';
import { readPageFacts, type LookedAtPage, type PageFacts } from './read-page-facts.ts';

/** What the thread is started with. */
export const threadData = z.object({ marketplace: marketplaceSchema });

/** A page that shows less than this without its scripts may be made by them. */
const FEW_CHARACTERS = 400;
const FEW_LINKS = 5;

const { marketplace } = threadData.parse(workerData);
const known = new Map<string, PageFacts>();

function factsOf(pages: readonly LookedAtPage[]): PageFacts[] {
  return pages.flatMap(({ url, html, isRendered }) => {
    if (html === undefined) return [];
    const key = `${isRendered === true} ${url}`;
    const facts = known.get(key) ?? readPageFacts(html, url);
    known.set(key, facts);
    return [facts];
  });
}

/** Which pages to look at next; `asked` are the addresses that were asked for so far. */
export const plan = ({ pages, asked }: { pages: LookedAtPage[]; asked: string[] }): string[] =>
  planPages(factsOf(pages), new Set(asked));

/** Whether a page is empty until its scripts have run. */
export function isEmptyWithoutScripts(page: LookedAtPage): boolean {
  const [facts] = factsOf([page]);
  if (!facts?.hasScripts || facts.records.length > 0 || facts.clusters.length > 0) return false;
  return facts.textLength < FEW_CHARACTERS && facts.links.length < FEW_LINKS;
}

/** A page as it can be shown. */
export const outline = (page: LookedAtPage): OutlineBlock[] =>
  factsOf([page]).flatMap((facts) => outlinePage(facts.page));

/** What is proposed, from all pages that were looked at. */
export const propose = ({ start, pages }: { start: string; pages: LookedAtPage[] }): SiteProposal =>
  proposeScraper(start, pages, factsOf(pages), buildCatalog(marketplace));
