import { z } from 'zod';
import { moderateListing } from '../../shared/listings/publish.ts';
import type { ModerationRules } from '../../shared/moderation/moderate.ts';
import type { Listing } from '../listings/present.ts';
import { listingId } from './inputs.ts';
import { defineTool, type ToolContext } from './tool.ts';

const output = z.object({ id: z.string(), status: z.string(), in_search: z.boolean(), reasons: z.array(z.string()) });

/** What keeps a listing of that status out of the search, and what to do. */
const byStatus: Record<string, string> = {
  paused: 'It is paused. Next: resume it (POST /api/listings/{id}/resume).',
  sold: 'It is marked as sold.',
  expired: 'Its time is over. Next: renew it (POST /api/listings/{id}/renew).',
  flagged: 'It was reported, or refused by moderation: it is hidden until a moderator decides.',
  deleted: 'It is deleted.',
  suspended: 'Its seller is suspended.',
};

/** Why a listing stands in no search, or what keeps it out of some. */
export const standingTool = defineTool({
  name: 'why_not_published',
  title: 'Why a listing is not found',
  description: 'Whether an own listing stands in the search now, and what keeps it out of it or of its filters.',
  input: z.object({ id: listingId }),
  output,
  scope: 'read',
  effect: 'read',
  async run(context, { id }) {
    const { body: listing } = await context.perform('getListing', { params: { id } });
    const { status } = listing;
    const isFound = status === 'active' && (await isInSearch(context, listing));
    const reasons = [
      ...tellStatus(listing, isFound),
      ...tellModeration(listing, context.services.profile.moderation),
      ...tellFilters(listing),
    ];
    const head = `\`${listing.id}\` is ${status}, and ${isFound ? 'stands' : 'does not stand'} in the search.`;
    const text = [head, ...reasons.map((reason) => `- ${reason}`)].join('\n');
    return { data: { id: listing.id, status, in_search: isFound, reasons }, text };
  },
});

/** Asks the search itself: its index may be behind what is stored. */
async function isInSearch({ perform }: ToolContext, { id, seller, updated_at }: Listing): Promise<boolean> {
  const query = { seller_id: seller.id, updated_since: updated_at, limit: 100 };
  const { body } = await perform('searchListings', { query });
  return body.results.some((each) => each.id === id);
}

function tellStatus({ status }: Listing, isFound: boolean): string[] {
  if (status === 'draft') return ['It is a draft, which its owner alone sees. Next: publish_listing.'];
  if (status === 'active' && !isFound) return ['The index is not up to date: look again in a minute.'];
  return byStatus[status] === undefined ? [] : [byStatus[status]];
}

/** A draft is judged now, as publishing it would; of what was published the judgement is kept. */
function tellModeration(
  { status, title, description, tags, category, price, moderation }: Listing,
  rules: ModerationRules,
): string[] {
  const text = { title, description, tags, category_id: category.id, price_amount: price.amount };
  const { verdict, reasons } =
    status === 'draft' ? moderateListing(text, rules) : (moderation ?? { verdict: 'accept', reasons: [] });
  const effect = verdict === 'reject' ? 'It cannot be published like this' : 'A moderator may look at it';
  return reasons.map(({ message }) => `${effect}: ${message}`);
}

/** What leaves it out of searches that filter. */
function tellFilters({ price, location, images }: Listing): string[] {
  return [
    ...(price.amount > 0 ? [] : ['It has no price, so a search with a price filter leaves it out.']),
    ...(location.lat === undefined ? ['Its place has no coordinates, so maps and searches nearby leave it out.'] : []),
    ...(images.length > 0 ? [] : ['It has no photo.']),
  ];
}
