import { sql, type Kysely } from 'kysely';
import type { DB } from '../../db/types.gen.ts';
import { ConfigError, type Config } from '../kit/config.ts';
import type { Logger } from '../kit/log.ts';
import type { Profile } from '../profiles/profile.ts';
import { parseMarketplace, readMarketplace, type MarketplaceDocument } from '../profiles/read-profile.ts';
import { buildCatalog, type Catalog } from './tree.ts';

/** An edit of another process is in force here within this time, even if its event was lost. */
const LOOK_EVERY_MS = 2_000;

/** A marketplace as it is at one moment: none of its parts ever changes. */
export type Marketplace = {
  /** 0 is the file; edits count from 1. */
  version: number;
  /** The file with the sections that were edited in place of its own. */
  document: MarketplaceDocument;
  profile: Profile;
  catalog: Catalog;
};

export type LiveMarketplace = {
  current(): Marketplace;
  /** The file, without edits. */
  readonly file: MarketplaceDocument;
  /** Looks whether there is a newer version, and takes it. */
  refresh(): Promise<void>;
  stop(): Promise<void>;
};

/** The marketplace of a file and of its edits. */
export function buildMarketplace(file: MarketplaceDocument, { version, edits }: StoredEdits = UNEDITED): Marketplace {
  const document = { ...file, ...edits };
  const profile = parseMarketplace(document);
  return { version, document, profile, catalog: buildCatalog(profile) };
}

/** The sections that edits have put in place of the file's, by the version in force. */
export type StoredEdits = { version: number; edits: MarketplaceDocument };
const UNEDITED: StoredEdits = { version: 0, edits: {} };

/** The newest version of a marketplace's edits; 0 and nothing where there are none. */
export async function readEdits(db: Kysely<DB>, { name }: MarketplaceDocument): Promise<StoredEdits> {
  const { rows } = await sql<StoredEdits>`
    select version, edits from marketplace_versions where marketplace = ${name} order by version desc limit 1`.execute(
    db,
  );
  return rows[0] ?? UNEDITED;
}

/** What the file and the edits of the database make together; edits that no longer fit a changed file are a ConfigError. */
export async function readEditedMarketplace(db: Kysely<DB>, file: MarketplaceDocument): Promise<Marketplace> {
  const stored = await readEdits(db, file);
  try {
    return buildMarketplace(file, stored);
  } catch (error) {
    throw new ConfigError(
      `MARKETPLACE_FILE: version ${stored.version} of the settings, edited in the console, does not fit the file: ${error instanceof Error ? error.message.replaceAll(/\s+/g, ' ') : String(error)}`,
    );
  }
}

/**
 * The marketplace in force, in memory, polled for newer versions every two seconds. A version that cannot be read leaves the one
 * before in force and is logged. `onChange` is called after the marketplace has changed.
 */
export async function followMarketplace(
  config: Pick<Config, 'profile' | 'marketplaceFile'>,
  { db, log }: { db: Kysely<DB>; log: Logger },
  onChange: () => void = () => {},
): Promise<LiveMarketplace> {
  const file = await readMarketplace(config);
  let marketplace = await readEditedMarketplace(db, file);
  let looking: Promise<void> = Promise.resolve();

  async function look(): Promise<void> {
    const stored = await readEdits(db, file);
    if (stored.version === marketplace.version) return;
    marketplace = buildMarketplace(file, stored);
    onChange();
  }
  const refresh = () => (looking = looking.then(look, look));
  const timer = setInterval(() => {
    refresh().catch((error: unknown) => log.warn({ err: error }, 'the settings of the marketplace could not be read'));
  }, LOOK_EVERY_MS).unref();

  return {
    current: () => marketplace,
    file,
    refresh,
    async stop() {
      clearInterval(timer);
      await looking.catch(() => {});
    },
  };
}
