import { readAccountDetail } from '../../shared/accounts/account-detail.ts';
import { findUsers, type AccountPlace } from '../../shared/accounts/find-users.ts';
import { notFound } from '../../shared/kit/errors.ts';
import { readReportsOfPerson } from '../../shared/reports/reports-of-person.ts';
import { readKeyset, writeKeyset } from '../http/keyset.ts';
import type { Handler } from '../handler.ts';
import { presentAccount, presentAccountDetail } from './users-present.ts';

/** One page of the accounts that fit, newest first. */
export const listUsers: Handler<'listUsers'> = async ({ db }, { query }) => {
  const { q, role, status, cursor, limit = 20 } = query;
  const after = cursor === undefined ? undefined : readKeyset(cursor, isAccountPlace);
  const rows = await findUsers(db, { q, role, status }, { after, limit: limit + 1 });
  const shown = rows.slice(0, limit);
  const last = rows.length > limit ? shown.at(-1) : undefined;
  return {
    status: 200,
    body: {
      results: shown.map(presentAccount),
      next_cursor: last ? writeKeyset([last.place, last.id]) : null,
    },
  };
};

const moment = /^\d{4,6}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/;

const isAccountPlace = (value: unknown): value is AccountPlace =>
  Array.isArray(value) &&
  value.length === 2 &&
  value.every((part) => typeof part === 'string') &&
  moment.test(value[0] as string) &&
  !Number.isNaN(Date.parse(value[0] as string));

/** An account with how it is opened, its counts, listings, reports, payments, history and suspensions. */
export const getUserDetail: Handler<'getUserDetail'> = async ({ db, clock }, { params }) => {
  const [found, reports] = await Promise.all([
    readAccountDetail(db, params.id, clock.now()),
    readReportsOfPerson(db, params.id),
  ]);
  if (!found) throw notFound('user', params.id);
  return { status: 200, body: presentAccountDetail(found, reports) };
};
