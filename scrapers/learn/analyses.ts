import { buildCatalog } from '../../shared/catalog/tree.ts';
import type { Profile } from '../../shared/profiles/profile.ts';
import type { OutlineBlock, SiteProposal } from '../../shared/scrapers/proposal.ts';
import { outlinePage } from './outline-page.ts';
import { planPages } from './plan-pages.ts';
import { proposeScraper } from './propose-scraper.ts';
import { readPageFacts, type LookedAtPage, type PageFacts } from './read-page-facts.ts';

/** What can be asked about the pages of one learning. */
export type Analyses = {
  /** Which pages to look at next; `asked` are the addresses that were asked for so far. */
  plan(task: { pages: LookedAtPage[]; asked: string[] }): string[];
  /** Whether a page is empty until its scripts have run. */
  isEmptyWithoutScripts(page: LookedAtPage): boolean;
  /** A page as it can be shown. */
  outline(page: LookedAtPage): OutlineBlock[];
  /** What is proposed, from all pages that were looked at. */
  propose(task: { start: string; pages: LookedAtPage[] }): SiteProposal;
};

/** A page that shows less than this without its scripts may be made by them. */
const FEW_CHARACTERS = 400;
const FEW_LINKS = 5;

/** The analyses of one learning: what was read of a page is kept. */
export function createAnalyses(marketplace: Profile): Analyses {
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

  return {
    plan: ({ pages, asked }) => planPages(factsOf(pages), new Set(asked)),
    isEmptyWithoutScripts(page) {
      const [facts] = factsOf([page]);
      if (!facts?.hasScripts || facts.records.length > 0 || facts.clusters.length > 0) return false;
      return facts.textLength < FEW_CHARACTERS && facts.links.length < FEW_LINKS;
    },
    outline: (page) => factsOf([page]).flatMap((facts) => outlinePage(facts.page)),
    propose: ({ start, pages }) => proposeScraper(start, pages, factsOf(pages), buildCatalog(marketplace)),
  };
}
