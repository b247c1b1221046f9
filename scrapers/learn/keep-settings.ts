import type { SiteProposal } from '../../shared/scrapers/proposal.ts';

/** What of a scraper stays when its site is learnt again. */
export type KeptSettings = { name: string; site: string; start_urls: string[]; category_id: string | null };

/**
 * The proposal for a scraper whose site was learnt again: it reads other pages in another way, under its own name, on its own
 * site, from all the addresses it starts from (and a new one, when it was learnt from that), in its own category.
 */
export function keepSettings(
  proposal: SiteProposal,
  { name, site, start_urls: starts, category_id: category }: KeptSettings,
  url: string,
): SiteProposal {
  const isKnown = starts.some((start) => URL.parse(start)?.href === url);
  const added = isKnown ? [] : proposal.scraper.start_urls.filter((start) => !starts.includes(start));
  return {
    ...proposal,
    scraper: {
      ...proposal.scraper,
      ...{ name, site, start_urls: [...starts, ...added] },
      category_id: category ?? proposal.scraper.category_id,
    },
  };
}
