/** The events that are told to the outside, by webhooks and by the feed; others are the service's own. */
export const publicEvents = [
  'listing.created',
  'listing.updated',
  'listing.published',
  'listing.sold',
  'listing.expired',
  'listing.deleted',
  'listing.flagged',
  'message.received',
  'review.created',
  'premium.activated',
  'saved_search.matched',
  'run.completed',
  'run.failed',
  'run.cancelled',
] as const;

export type PublicEvent = (typeof publicEvents)[number];

const known = new Set<string>(publicEvents);

/** True for a type that may leave the service. */
export function isPublicEvent(type: string): type is PublicEvent {
  return known.has(type);
}
