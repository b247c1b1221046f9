import { isDeepStrictEqual } from 'node:util';
import type { Database } from '../../db/client.ts';
import { requireAccepted } from '../listings/rules.ts';
import { RevisionSuperseded } from '../listings/update.ts';
import { judgeListing, type Judging } from '../moderation/judge.ts';
import type { ModeratedText } from '../moderation/moderate.ts';
import { readRental, requireRentalOwner, type RentalRow } from './rental.ts';
import { requireRentalRules } from './rules.ts';
import type { RentalRevision } from './store.ts';

type Judges = { db: Database } & Judging;

/**
 * Holds an update against the rules, and the text that it leads to against moderation, before any lock is taken.
 * `requireSameText` throws Superseded when somebody has changed the text since. An unknown rental is 404, somebody else's 403.
 */
export async function judgeRentalRevision(
  services: Judges,
  idOrSlug: string,
  userId: string,
  fields: RentalRevision,
): Promise<{ requireSameText(rental: RentalRow): void }> {
  const rental = await readRental(services.db, idOrSlug);
  requireRentalOwner(rental, userId);
  requireRentalRules(fields);
  const text = textAfter(rental, fields);
  if (!isDeepStrictEqual(text, textAfter(rental, {}))) requireAccepted(await judgeListing(services, text));
  return {
    requireSameText(found) {
      if (!isDeepStrictEqual(text, textAfter(found, fields))) throw new RevisionSuperseded();
    },
  };
}

const textAfter = (rental: RentalRow, fields: RentalRevision): ModeratedText => ({
  title: fields.title ?? rental.title,
  description: fields.description ?? rental.description,
  price: { amount: fields.price_per_day ?? rental.price_per_day },
});
