import { inTransaction } from '../../db/client.ts';
import { changeListing } from '../listings/change.ts';
import { eventColumns } from '../listings/listing-event.ts';
import { issueNotice } from '../notices/notices.ts';
import type { Jobs, Tx } from '../queues/jobs.ts';
import { scoreOf, uncleared, type ScamEvidence } from './evidence.ts';
import { countHold } from './holds.ts';
import { gatherEvidence, readCheckedListing, type EvidenceServices } from './gather-evidence.ts';

type Services = EvidenceServices & { jobs: Pick<Jobs, 'enqueue'> };

const shown = new Set(['active', 'paused']);
/** What the owner reads: the evidence itself would tell how to get round it. */
const HELD = {
  code: 'scam_check',
  message:
    'An automatic check found signs that are common in scams. A person looks at the listing before it is shown again.',
} as const;

/** Checks these listings one after the other, as they are by now; answers how many are held for a moderator from now on. Idempotent. */
export async function checkForScams(
  services: Services,
  listingIds: readonly string[],
  signal: AbortSignal,
): Promise<number> {
  let held = 0;
  for (const id of listingIds) {
    signal.throwIfAborted();
    const listing = await readCheckedListing(services.db, id);
    if (!listing) continue;
    const evidence = await gatherEvidence(services, listing);
    const isHeld = await inTransaction(services.db, (tx) => settleEvidence(tx, services, listing, evidence));
    if (isHeld) held += 1;
  }
  return held;
}

/**
 * Stores what was found of this version of a listing, and flags a listing that is on show where what no moderator has approved
 * yet weighs enough; both, the journal's event, the count by signal and the statement of reasons to the owner are one transaction. A listing that has changed
 * meanwhile is left to the check that its change has queued. Answers whether the listing is held from now on.
 */
async function settleEvidence(
  tx: Tx,
  services: Services,
  { id, version }: { id: string; version: number },
  evidence: readonly ScamEvidence[],
): Promise<boolean> {
  const now = services.clock.now();
  const listing = await tx
    .selectFrom('listings')
    .select(eventColumns)
    .where('id', '=', id)
    .where('version', '=', version)
    .forUpdate()
    .executeTakeFirst();
  if (!listing) return false;
  const known = await tx.selectFrom('scam_checks').select('cleared').where('listing_id', '=', id).executeTakeFirst();
  const counting = uncleared(evidence, new Set(known?.cleared));
  const score = scoreOf(counting);
  const isHeld = score >= services.profile.scamRules.holdFrom && shown.has(listing.status);
  const check = {
    version,
    score,
    evidence: JSON.stringify(evidence),
    checked_at: now,
    ...(isHeld && { held_at: now }),
  };
  await tx
    .insertInto('scam_checks')
    .values({ listing_id: id, ...check })
    .onConflict((conflict) => conflict.column('listing_id').doUpdateSet(check))
    .execute();
  if (!isHeld) return false;
  const moderation = { verdict: 'review', reasons: [HELD], judged_at: now.toISOString() };
  const set = { status: 'flagged', moderation: JSON.stringify(moderation) };
  await changeListing(tx, services, listing, { event: 'listing.flagged', set, automated: true });
  await countHold(tx, counting);
  await issueNotice(tx, services, {
    userId: listing.seller_id,
    subject: { type: 'listing', id },
    title: listing.title,
    restriction: 'listing_hidden',
    ground: 'terms',
    rule: 'fraud',
    facts: null,
    explanation: null,
    reports: 0,
    automated: true,
  });
  return true;
}
