import { sql } from 'kysely';
import { z } from 'zod';
import { buildMarketplace, readEdits, type Marketplace } from '../catalog/marketplace.ts';
import { seedCategories } from '../catalog/seed-categories.ts';
import type { Clock } from '../kit/clock.ts';
import { conflict, invalid } from '../kit/errors.ts';
import { recordEvents } from '../journal/events.ts';
import type { MarketplaceDocument } from '../profiles/read-profile.ts';
import type { Jobs, Tx } from '../queues/jobs.ts';
import { diffMarketplaces } from './changes.ts';
import { startMoveRun, type AttributeRename } from './move-listings.ts';
import { retargetCategories } from './references.ts';

export type EditServices = { jobs: Pick<Jobs, 'enqueue'>; clock: Clock };
type Editor = {
  /** The marketplace's file, without edits. */
  file: MarketplaceDocument;
  author: string;
  /** The version that the editor has seen; 409 when there is a newer one. */
  seen?: number | undefined;
};

/** What an edit makes of the marketplace: the sections that are new, and what becomes of listings. */
export type Edit = {
  sections: MarketplaceDocument;
  /** Categories that are gone, and where their listings go. */
  moves?: Record<string, string>;
  renames?: AttributeRename[];
  /** For an edit that returns to a version: that one, and the versions whose moves are taken back. */
  restores?: { version: number; back: number[] };
};

export type Edited = { marketplace: Marketplace; changed: boolean; runId: string | null };

/**
 * Makes an edit the next version, in the transaction of the caller: its author, time and changes, the categories of the database,
 * the run that moves listings, and the event that other processes follow. Edits take turns by a lock. A result that contradicts
 * itself is a validation_error that names the place; an edit that changes nothing makes no version.
 */
export async function editMarketplace(
  tx: Tx,
  { jobs, clock }: EditServices,
  { file, author, seen }: Editor,
  edit: (marketplace: Marketplace) => Edit | Promise<Edit>,
): Promise<Edited> {
  await sql`lock table marketplace_versions in share row exclusive mode`.execute(tx);
  const now = clock.now();
  const stored = await readEdits(tx, file);
  const before = buildMarketplace(file, stored);
  if (seen !== undefined && seen !== before.version)
    throw conflict(`The settings have changed: version ${before.version} is in force, you have seen ${seen}.`);
  const { sections, moves = {}, renames = [], restores } = await edit(before);
  const edits = restores ? sections : { ...stored.edits, ...retargetCategories(before.document, sections, moves) };
  const next = checkEdited(file, { version: before.version, edits });
  const changes = diffMarketplaces(before.document, next.document);
  if (changes.length === 0) return { marketplace: before, changed: false, runId: null };

  const { rows } = await sql<{ version: number }>`
    insert into marketplace_versions (marketplace, edits, changes, renames, restores, author_id, created_at)
    values (${file['name']}, ${JSON.stringify(edits)}, ${JSON.stringify(changes)}, ${JSON.stringify(renames)},
            ${restores?.version ?? null}, ${author}, ${now})
    returning version`.execute(tx);
  const { version } = rows[0]!;
  if (changes.some(({ section }) => section === 'categories')) await seedCategories(tx, next.profile);
  const runId = await startMoveRun(
    tx,
    jobs,
    { version, moves, renames: locate(renames, next), back: restores?.back ?? [] },
    author,
    now,
  );
  await jobs.enqueue(tx, 'reconcile-search-index', {}, { key: `marketplace ${version}` });
  await recordEvents(tx, now, [{ type: 'marketplace.changed', subject: String(version), ownerId: null, data: {} }]);
  return { marketplace: { ...next, version }, changed: true, runId };
}

function checkEdited(file: MarketplaceDocument, stored: Parameters<typeof buildMarketplace>[1]): Marketplace {
  try {
    return buildMarketplace(file, stored);
  } catch (error) {
    if (!(error instanceof z.ZodError)) throw error;
    throw invalid(
      'The settings would contradict themselves.',
      error.issues
        .slice(0, 20)
        .map(({ path, message }) => ({ path: '/body', message: `${z.core.toDotPath(path)}: ${message}` })),
    );
  }
}

/** The renamed attributes with the categories whose listings have them. */
const locate = (renames: readonly AttributeRename[], { catalog }: Marketplace) =>
  renames.map((rename) => ({
    ...rename,
    categories: (catalog.assetType(rename.asset_type)?.categoryIds ?? []).flatMap((id) => [
      id,
      ...(catalog.formerIds().get(id) ?? []),
    ]),
  }));
