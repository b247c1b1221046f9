import { sql } from 'kysely';
import { restoreVersion } from '../../shared/marketplace/restore-version.ts';
import type { MarketplaceChange } from '../../shared/marketplace/changes.ts';
import { paginationOf } from '../http/pagination.ts';
import type { Result } from '../http/types.ts';
import type { AuthenticatedHandler, Handler } from '../handler.ts';
import { applyEdit } from './settings-edit.ts';

type Settings = Result<'getSettings', 200>['settings'];
type Version = Result<'listSettingsVersions', 200>['results'][number];

/** The sections of a marketplace that are edited as a whole. */
const SECTIONS = [
  'tagline',
  'currencies',
  'statuses',
  'limits',
  'search',
  'moderation',
  'trust',
  'response_cache',
  'errors_list_categories',
] as const;

/** Texts, limits and rules of the marketplace in force. */
export const getSettings: Handler<'getSettings'> = ({ marketplace }) => {
  const { version, document, profile } = marketplace.current();
  const told = SECTIONS.filter((section) => document[section] !== undefined);
  const settings = Object.fromEntries(told.map((section) => [section, document[section]])) as Settings;
  return { status: 200, body: { version, name: profile.name, locales: [...profile.locales], settings } };
};

/** Replaces the sections that are sent. */
export const putSettings: AuthenticatedHandler<'putSettings'> = async (services, { body, caller }) => {
  const edit = await applyEdit(services, { caller, seen: body.version }, () => ({ sections: { ...body.settings } }));
  return { status: 200, ...edit };
};

/** What was changed when and by whom, newest first. */
export const listSettingsVersions: Handler<'listSettingsVersions'> = async ({ db, marketplace }, { query }) => {
  const { page = 1, limit = 20 } = query;
  const { name } = marketplace.file;
  const { rows } = await sql<Omit<Version, 'created_at'> & { created_at: Date }>`
    select v.version, v.author_id, u.email as author_email, v.created_at, v.restores, v.changes
    from marketplace_versions v left join users u on u.id = v.author_id
    where v.marketplace = ${name} order by v.version desc limit ${limit} offset ${(page - 1) * limit}`.execute(db);
  const counted = await sql<{ total: number }>`
    select count(*)::int as total from marketplace_versions where marketplace = ${name}`.execute(db);
  const results = rows.map((row) => ({
    ...row,
    created_at: row.created_at.toISOString(),
    changes: (row.changes as MarketplaceChange[]).slice(0, 200),
  })) as Version[];
  return { status: 200, body: { results, pagination: paginationOf(page, limit, counted.rows[0]?.total ?? 0) } };
};

/** Returns to the version before, or to the one named, as a version of its own; listings go back with it. */
export const undoSettings: AuthenticatedHandler<'undoSettings'> = async (services, { body, caller }) => {
  const edit = await applyEdit(services, { caller, seen: undefined }, (marketplace, tx) =>
    restoreVersion(tx, services.marketplace.file, marketplace, body?.version),
  );
  return { status: 200, ...edit };
};
