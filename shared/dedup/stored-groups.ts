import { sql } from 'kysely';
import { newId } from '../kit/ids.ts';
import type { Tx } from '../queues/jobs.ts';
import { pairKey } from './cluster.ts';
import { mergeIntoUndecided, type FoundGroup, type UndecidedGroup } from './regroup.ts';
import type { ExplainedLink } from './scan.ts';
import type { Reason } from './score.ts';

/** A link as stored with one of its ends. */
export type Evidence = { listing_id: string; score: number; reasons: Reason[]; restraints: string[] };

/** The statuses of listings that may be in an undecided group. */
export const OFFERED: readonly string[] = ['draft', 'active', 'paused'];

const STORING = 5_163_880_225;
const MAX_REASONS = 8;

/**
 * Stores what a scan has found as undecided groups, each listing in one at most: a group that shares listings with one that
 * waits extends it, as far as links hold them together. Listings that are no longer offered (merged ones too) and pairs
 * that were rejected are in none, whoever found them. Repeating it changes nothing. Answers how many groups are new.
 */
export async function storeGroups(tx: Tx, groups: readonly FoundGroup[], now: Date): Promise<number> {
  const found = [...new Set(groups.flatMap(({ members }) => members))];
  if (found.length === 0) return 0;
  // One at a time: what waits only shrinks meanwhile.
  await sql`select pg_advisory_xact_lock(${STORING})`.execute(tx);
  const around = (await readWaiting(tx, found)).flatMap(({ members }) => members);
  const everyone = [...new Set([...found, ...around])];
  const offered = await holdOffered(tx, everyone);
  const waiting = await readWaiting(tx, found, true);
  const rejected = await readRejections(tx, everyone);
  const before = new Map(waiting.map((group) => [group.id, group]));
  const after = new Map(before);
  const makeId = () => newId('dedup_group');
  for (const group of groups) mergeIntoUndecided(after, group, { offered, rejected, makeId });
  const closed = [...before.keys()].filter((id) => !after.has(id));
  const changed = [...after.values()].filter((group) => before.get(group.id) !== group);
  await sql`delete from dedup_members where group_id = any(${[...closed, ...changed.map(({ id }) => id)]}::text[])`.execute(
    tx,
  );
  await sql`delete from dedup_groups where id = any(${closed}::text[])`.execute(tx);
  await writeGroups(tx, changed, now);
  return changed.filter(({ id }) => !before.has(id)).length;
}

/** The pairs among these listings that people have told apart, as `pairOf` names them. */
export async function readRejections(tx: Tx, listingIds: readonly string[]): Promise<ReadonlySet<string>> {
  const { rows } = await sql<{ first_id: string; second_id: string }>`
    select first_id, second_id from dedup_rejections
    where first_id = any(${listingIds}::text[]) and second_id = any(${listingIds}::text[])`.execute(tx);
  return new Set(rows.map(({ first_id, second_id }) => pairKey(first_id, second_id)));
}

/** Locks the listings until the transaction ends; answers those that are offered now. */
async function holdOffered(tx: Tx, listingIds: readonly string[]): Promise<ReadonlySet<string>> {
  const { rows } = await sql<{ id: string; status: string }>`
    select id, status from listings where id = any(${listingIds}::text[]) order by id for share`.execute(tx);
  return new Set(rows.flatMap(({ id, status }) => (OFFERED.includes(status) ? [id] : [])));
}

type MemberRow = { group_id: string; confidence: number; listing_id: string; evidence: Evidence[] };

/** The undecided groups that these listings wait in, with everybody in them. */
async function readWaiting(tx: Tx, listingIds: readonly string[], isLocking = false): Promise<UndecidedGroup[]> {
  const { rows: held } = await sql<{ id: string }>`
    select g.id from dedup_groups g where g.status = 'detected' and g.id in (
      select m.group_id from dedup_members m where m.listing_id = any(${listingIds}::text[]) and m.open)
    order by g.id ${isLocking ? sql`for update` : sql``}`.execute(tx);
  const { rows } = await sql<MemberRow>`
    select m.group_id, g.confidence, m.listing_id, m.evidence from dedup_members m join dedup_groups g on g.id = m.group_id
    where m.group_id = any(${held.map(({ id }) => id)}::text[]) and m.open order by m.group_id, m.listing_id`.execute(
    tx,
  );
  return [...Map.groupBy(rows, (row) => row.group_id)].map(([id, members]) => ({
    id,
    members: members.map(({ listing_id }) => listing_id),
    links: members.flatMap(linksOf),
    confidence: members[0]?.confidence ?? 0,
  }));
}

/** Each link once: from the end that comes first. */
const linksOf = ({ listing_id: first, evidence }: MemberRow): ExplainedLink[] =>
  evidence
    .filter(({ listing_id: second }) => first < second)
    .map(({ listing_id: second, score, reasons, restraints }) => ({
      first,
      second,
      score,
      reasons,
      by: restraints as ExplainedLink['by'],
    }));

async function writeGroups(tx: Tx, groups: readonly UndecidedGroup[], now: Date): Promise<void> {
  if (groups.length === 0) return;
  const rows = groups.map(({ id, confidence, links }) => ({ id, confidence, reasons: reasonsOf(links) }));
  await sql`insert into dedup_groups (id, confidence, reasons, detected_at)
    select id, confidence, reasons, ${now} from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
      as g (id text, confidence real, reasons text[])
    on conflict (id) do update set (confidence, reasons) = (excluded.confidence, excluded.reasons)`.execute(tx);
  const members = groups.flatMap(({ id, members: listings, links }) =>
    listings.map((listing) => {
      const evidence = evidenceOf(listing, links);
      return { group_id: id, listing_id: listing, score: evidence[0]?.score ?? 0, evidence };
    }),
  );
  await sql`insert into dedup_members (group_id, listing_id, score, evidence)
    select group_id, listing_id, score, evidence from jsonb_to_recordset(${JSON.stringify(members)}::jsonb)
      as m (group_id text, listing_id text, score real, evidence jsonb)
    order by listing_id collate "C"`.execute(tx);
}

function evidenceOf(listing: string, links: readonly ExplainedLink[]): Evidence[] {
  return links
    .flatMap(({ first, second, score, reasons, by }): Evidence[] => {
      if (first !== listing && second !== listing) return [];
      return [{ listing_id: first === listing ? second : first, score, reasons, restraints: by }];
    })
    .sort((a, b) => b.score - a.score);
}

/** The signals that speak for a group, the weightiest over all of its links first. */
function reasonsOf(links: readonly ExplainedLink[]): string[] {
  const weights = new Map<string, number>();
  for (const { signal, weight } of links.flatMap(({ reasons }) => reasons))
    weights.set(signal, (weights.get(signal) ?? 0) + weight);
  const speaking = [...weights].filter(([, weight]) => weight > 0).sort(([, a], [, b]) => b - a);
  return speaking.slice(0, MAX_REASONS).map(([signal]) => signal);
}
