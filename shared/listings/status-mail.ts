import type { Config } from '../kit/config.ts';
import { urlTo } from '../kit/site-links.ts';
import type { Jobs, Tx } from '../queues/jobs.ts';
import type { Profile } from '../profiles/profile.ts';
import type { EventListing } from './listing-event.ts';

type Mailing = {
  jobs: Pick<Jobs, 'enqueue'>;
  profile: Pick<Profile, 'sendsStatusEmails'>;
  config: Pick<Config, 'site'>;
};

type Options = {
  /** Sets apart what may happen to one listing several times: one mail for each. */
  occasion?: Date;
  /** The mail is not sent before. */
  startAfter?: Date;
};

/** Mails the owner what has become of a listing, where the profile does so, in the transaction of the change. */
export async function mailStatus(
  tx: Tx,
  { jobs, profile, config }: Mailing,
  listing: EventListing,
  template: 'listing-approved' | 'listing-sold',
  { occasion, startAfter }: Options = {},
): Promise<void> {
  if (!profile.sendsStatusEmails) return;
  const payload = {
    message_id: [template, listing.id, ...(occasion ? [occasion.getTime()] : [])].join('.'),
    template,
    user_id: listing.seller_id,
    data: {
      listing_id: listing.id,
      title: listing.title,
      url: urlTo(config.site, 'listing', { slug: listing.slug }),
    },
  };
  await jobs.enqueue(tx, 'send-email', payload, startAfter ? { startAfter } : {});
}
