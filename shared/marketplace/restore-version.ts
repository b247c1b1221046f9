import { sql } from 'kysely';
import type { Marketplace } from '../catalog/marketplace.ts';
import { buildMarketplace } from '../catalog/marketplace.ts';
import { conflict, invalid } from '../kit/errors.ts';
import type { MarketplaceDocument } from '../profiles/read-profile.ts';
import type { Tx } from '../queues/jobs.ts';
import type { Edit } from './edit-marketplace.ts';
import type { AttributeRename } from './move-listings.ts';
import { idsOf } from './tree-edits.ts';

type StoredVersion = {
  version: number;
  edits: MarketplaceDocument;
  renames: AttributeRename[];
  restores: number | null;
};

/**
 * The edit that returns to a version: to the one before that in force, or to the one named (0 is the file). Listings go back where
 * the versions since then have taken them from; those of a category that did not exist then go to the nearest one above it.
 */
export async function restoreVersion(
  tx: Tx,
  file: MarketplaceDocument,
  current: Marketplace,
  wanted: number | undefined,
): Promise<Edit> {
  const { rows } = await sql<StoredVersion>`
    select version, edits, renames, restores from marketplace_versions where marketplace = ${file['name']}
    order by version`.execute(tx);
  const version = wanted ?? versionBefore(rows, current.version);
  const target = version === 0 ? { edits: {} } : rows.find((each) => each.version === version);
  if (!target)
    throw invalid('There is no such version of the settings.', [
      { path: '/body/version', message: 'is no version', reason: 'not_a_choice' },
    ]);
  const then = buildMarketplace(file, { version, edits: target.edits });
  const since = rows.filter((each) => each.version > version);
  const moves = findMoves(current, then);
  const former = { ...current.profile.movedCategories, ...moves };
  const ids = new Set(then.catalog.validIds());
  const moved = Object.fromEntries(Object.entries(former).filter(([old, to]) => !ids.has(old) && ids.has(to)));
  return {
    sections: { ...target.edits, moved_categories: { ...then.profile.movedCategories, ...moved } },
    moves,
    renames: since.flatMap(({ renames }) => renames.map(({ from, to, ...rest }) => ({ ...rest, from: to, to: from }))),
    restores: { version, back: since.map((each) => each.version) },
  };
}

/** The version before the one whose state is in force: undoing twice goes back twice. */
function versionBefore(rows: readonly StoredVersion[], current: number): number {
  const stateOf = (version: number): number => rows.find((each) => each.version === version)?.restores ?? version;
  const state = stateOf(current);
  if (state === 0) throw conflict('There is nothing to undo: the file alone is in force.');
  return stateOf(rows.findLast((each) => each.version < state)?.version ?? 0);
}

/** Where the listings of each category go that did not exist then: to what it was called, else to the nearest above it. */
function findMoves(current: Marketplace, then: Marketplace): Record<string, string> {
  const existed = new Set(then.catalog.validIds());
  const names = Object.entries(current.profile.movedCategories);
  return Object.fromEntries(
    idsOf(current.profile.categories)
      .filter((id) => !existed.has(id))
      .map((id) => {
        const renamed = names.find(
          ([old, to]) => to === id && existed.has(old) && !current.catalog.validIds().includes(old),
        );
        const above = current.catalog.path(id).findLast((each) => existed.has(each));
        return [id, renamed?.[0] ?? above ?? then.profile.categoryWords.fallback];
      }),
  );
}
