import { sql } from 'kysely';
import type { Database } from '../../db/client.ts';
import { cardColumns, cardJoins, type CardRow } from '../listings/card.ts';
import { electCanonical, readCandidates } from './canonical.ts';
import type { Evidence } from './stored-groups.ts';

export type GroupRow = {
  id: string;
  status: 'detected' | 'merged' | 'rejected';
  confidence: number;
  reasons: string[];
  canonical_id: string | null;
  detected_at: Date;
  resolved_at: Date | null;
  resolved_by: string | null;
  members: MemberRow[];
};

export type MemberRow = {
  group_id: string;
  listing_id: string;
  score: number;
  evidence: Evidence[];
  favorites: number;
  site: string | null;
  url: string | null;
  /** Undefined for a listing that is gone for good. */
  card: CardRow | undefined;
};

type Filter = { status?: string | undefined; minConfidence?: number | undefined };
type PageQuery = { offset: number; limit: number; locale: string; now: Date };

const columns = sql`g.id, g.status, g.confidence, g.reasons, g.canonical_id, g.detected_at, g.resolved_at, g.resolved_by`;

const fits = ({
  status = null,
  minConfidence = null,
}: {
  status?: string | null;
  minConfidence?: number | null;
}) => sql`
  (${status}::text is null or g.status = ${status}) and (${minConfidence}::float8 is null or g.confidence >= ${minConfidence === null ? null : Math.fround(minConfidence)}::float8)`;

/** One page of groups with their members, the last found first, and how many there are. */
export async function readGroups(
  db: Database,
  filter: Filter,
  { offset, limit, locale, now }: PageQuery,
): Promise<{ groups: GroupRow[]; total: number }> {
  const { rows } = await sql<GroupRow>`
    select ${columns} from dedup_groups g where ${fits(filter)}
    order by g.detected_at desc, g.id desc limit ${limit} offset ${offset}`.execute(db);
  const { rows: counts } = await sql<{ total: number }>`
    select count(*)::int as total from dedup_groups g where ${fits(filter)}`.execute(db);
  return { groups: await withMembers(db, rows, locale, now), total: counts[0]?.total ?? 0 };
}

/** One group with its members; undefined when there is none. */
export async function readGroup(db: Database, id: string, locale: string, now: Date): Promise<GroupRow | undefined> {
  const { rows } = await sql<GroupRow>`select ${columns} from dedup_groups g where g.id = ${id}`.execute(db);
  const [group] = await withMembers(db, rows, locale, now);
  return group;
}

async function withMembers(db: Database, groups: readonly GroupRow[], locale: string, now: Date): Promise<GroupRow[]> {
  if (groups.length === 0) return [];
  const { rows: members } = await sql<MemberRow>`
    select m.group_id, m.listing_id, m.score, m.evidence, s.site, s.url,
      (select count(*)::int from favorites f where f.listing_id = m.listing_id) as favorites
    from dedup_members m left join listing_sources s on s.listing_id = m.listing_id
    where m.group_id = any(${groups.map(({ id }) => id)}::text[]) order by m.score desc, m.listing_id`.execute(db);
  const ids = [...new Set(members.map(({ listing_id }) => listing_id))];
  const { rows: cards } = await sql<CardRow>`
    select ${sql.raw(cardColumns)} from (select ${locale}::text as locale) as wanted
      join listings l on l.id = any(${ids}::text[]) ${sql.raw(cardJoins('wanted.locale'))}`.execute(db);
  const cardOf = new Map(cards.map((card) => [card.id, card]));
  const elect = await electors(db, groups, members, now);
  return groups.map((group) => {
    const own = members.filter(({ group_id }) => group_id === group.id);
    const canonical_id = group.status === 'detected' ? (elect(own) ?? null) : group.canonical_id;
    return {
      ...group,
      canonical_id,
      members: own.map((member) => withCard(member, own, cardOf)).toSorted(first(canonical_id)),
    };
  });
}

/** Tells which of the members of an undecided group would be kept. */
async function electors(db: Database, groups: readonly GroupRow[], members: readonly MemberRow[], now: Date) {
  const undecided = new Set(groups.filter(({ status }) => status === 'detected').map(({ id }) => id));
  const waiting = members.filter(({ group_id }) => undecided.has(group_id)).map(({ listing_id }) => listing_id);
  const candidates = new Map((await readCandidates(db, waiting, now)).map((candidate) => [candidate.id, candidate]));
  return (own: readonly MemberRow[]) =>
    electCanonical(own.flatMap(({ listing_id }) => candidates.get(listing_id) ?? []));
}

/** What is told about a listing that has left the group is left out. */
function withCard(member: MemberRow, own: readonly MemberRow[], cardOf: ReadonlyMap<string, CardRow>): MemberRow {
  const evidence = member.evidence.filter((each) => own.some(({ listing_id }) => listing_id === each.listing_id));
  return { ...member, evidence, card: cardOf.get(member.listing_id) };
}

const first = (id: string | null) => (a: MemberRow, b: MemberRow) =>
  Number(b.listing_id === id) - Number(a.listing_id === id);
