import type { AccountFilter } from '../../shared/accounts/find-users.ts';
import type { readAccountDetail } from '../../shared/accounts/account-detail.ts';
import type { PersonReport, ReportsOfPerson } from '../../shared/reports/reports-of-person.ts';
import { showEmail } from '../../shared/kit/email.ts';
import type { Result } from '../http/types.ts';

type Account = Result<'listUsers', 200>['results'][number];
type Detail = Result<'getUserDetail', 200>;
type Found = NonNullable<Awaited<ReturnType<typeof readAccountDetail>>>;

export type AccountRow = {
  id: string;
  email: string;
  name: string;
  type: string;
  role: string;
  verified: boolean;
  created_at: Date;
  disabled_at: Date | null;
};

/** Account of openapi.yaml. */
export function presentAccount(row: AccountRow): Account {
  const status: AccountFilter['status'] = row.disabled_at ? 'suspended' : 'active';
  return {
    id: row.id,
    email: showEmail(row.email),
    name: row.name,
    type: row.type as Account['type'],
    role: row.role as Account['role'],
    status,
    verified: row.verified,
    created_at: row.created_at.toISOString(),
  };
}

const noListings = { draft: 0, active: 0, paused: 0, sold: 0, expired: 0, flagged: 0, deleted: 0, suspended: 0 };

/** AccountDetail of openapi.yaml. */
export function presentAccountDetail(
  { user, byStatus, newest, lastActivityAt, suspensions, ...found }: Found,
  { received, made, receivedCount }: ReportsOfPerson,
) {
  const { language, ...account } = user;
  const { secondFactors, sessions, apiKeys, flags, flagsMade, history, counts, payments } = found;
  return {
    account: presentAccount(account),
    language,
    second_factors: secondFactors,
    sessions: sessions.map(({ last_used_at, expires_at, ...session }) => ({
      ...withCreation(session),
      last_used_at: last_used_at.toISOString(),
      expires_at: expires_at.toISOString(),
    })),
    api_keys: apiKeys.map(({ last_used_at, expires_at, ...key }) => ({
      ...withCreation(key),
      last_used_at: last_used_at?.toISOString() ?? null,
      expires_at: expires_at?.toISOString() ?? null,
    })),
    listings: { by_status: { ...noListings, ...byStatus }, newest: newest.map(withCreation) },
    flags: flags.map(withCreation),
    flags_made: flagsMade.map(withCreation),
    reports: { received: received.map(presentReport), made: made.map(presentReport) },
    counts: { ...counts, reports_received: receivedCount },
    payments,
    history: history.map((event) => ({ ...event, at: event.at.toISOString() })),
    last_activity_at: lastActivityAt?.toISOString() ?? null,
    suspensions: suspensions.map(({ suspended_at, until, ended_at, ...suspension }) => ({
      ...suspension,
      suspended_at: suspended_at.toISOString(),
      until: until?.toISOString() ?? null,
      ended_at: ended_at?.toISOString() ?? null,
    })),
  } as Detail;
}

const presentReport = ({ settled, created_at, ...report }: PersonReport) => ({
  ...report,
  status: settled ? 'decided' : 'open',
  created_at: created_at.toISOString(),
});

const withCreation = <Item extends { created_at: Date }>(item: Item) => ({
  ...item,
  created_at: item.created_at.toISOString(),
});
