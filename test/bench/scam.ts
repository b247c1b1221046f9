import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Pool } from 'pg';
import sharp from 'sharp';
import { createDatabase, createPool, inTransaction } from '../../db/client.ts';
import { startEmbedded } from '../../db/embedded.ts';
import { coreHashOf, readGrey } from '../../shared/adapters/images.ts';
import { prepareDatabase } from '../../shared/boot/prepare.ts';
import { buildCatalog } from '../../shared/catalog/tree.ts';
import { refreshFingerprints } from '../../shared/dedup/store.ts';
import { DAY_MS, systemClock } from '../../shared/kit/clock.ts';
import { readConfig } from '../../shared/kit/config.ts';
import { newId } from '../../shared/kit/ids.ts';
import { profileOf } from '../../shared/profiles/read-profile.ts';
import { scoreOf, type ScamEvidence } from '../../shared/scams/evidence.ts';
import { gatherEvidence, readCheckedListing, type EvidenceServices } from '../../shared/scams/gather-evidence.ts';
import { isOnePhoto } from '../../shared/scams/match-images.ts';
import type { BenchOptions } from './run.ts';
import { alterations, attemptPhotos, createRandom, readPhotos, type Attempt, type Photo } from './scam-photos.ts';
import { readHonestRows, type HonestRow } from './scam-rows.ts';

const STORED_PER_DOMAIN = 3_000;
const MAX_HELD = 0.01;

/**
 * Measures the evidence of scams. Photos: recall by alteration and precision, over real photos altered. Listings: the share of
 * honest real rows that would be held if the account of each were a day old, and the share of copies of them, with altered
 * photos and lower prices, that is held. Thresholds are fitted on the rows and photos of the first part; the second is the figure.
 */
export async function benchScam({ n = 300, rounds = 2 }: BenchOptions = {}): Promise<void> {
  const photos = await readPhotos();
  const rows = readHonestRows(STORED_PER_DOMAIN);
  if (!photos || !rows) return;
  if (rounds > 0) reportPhotos(await attemptPhotos(photos, rounds));
  const dataDir = mkdtempSync(join(tmpdir(), 'quayside-scam-'));
  const server = await startEmbedded({ dataDir, fast: true });
  const pool = createPool({ databaseUrl: server.url, max: 4, applicationName: 'bench', deadlines: { statement: 0 } });
  try {
    await prepareDatabase(
      server.url,
      readConfig({ NODE_ENV: 'test', DATABASE_URL: server.url, MARKETPLACE_PROFILE: 'general' }),
    );
    const files = new Map<string, Buffer>();
    const profile = profileOf('general');
    const services: EvidenceServices = {
      db: createDatabase(pool),
      pool,
      storage: {
        get: async (key) => {
          const body = files.get(key);
          return body && { body, contentType: 'image/webp' };
        },
      },
      catalog: buildCatalog(profile),
      clock: systemClock,
      profile,
    };
    const ids = await insertRows(pool, rows, 400);
    for (let at = 0; at < ids.length; at += 200)
      await inTransaction(services.db, (tx) => refreshFingerprints(tx, ids.slice(at, at + 200)));
    await pool.query('vacuum (analyze)');
    await reportHonest(services, rows, ids, n);
    for (const part of ['fit', 'report'] as const) await reportCopies(services, files, { rows, ids, photos, part });
  } finally {
    await pool.end();
    await server.stop();
    rmSync(dataDir, { recursive: true, force: true });
  }
}

function reportPhotos(attempts: readonly Attempt[]): void {
  console.log('photos, altered: recall by alteration, precision of all');
  for (const part of ['fit', 'report'] as const) {
    const own = attempts.filter((attempt) => attempt.part === part);
    for (const [name, group] of Map.groupBy(own, ({ alteration }) => alteration)) {
      const found = group.filter((attempt) => attempt.own && isOnePhoto(attempt.own)).length;
      console.log(`  ${part.padEnd(7)} ${name.padEnd(32)} ${(found / group.length).toFixed(3)} of ${group.length}`);
    }
    const right = own.filter((attempt) => attempt.own && isOnePhoto(attempt.own)).length;
    const wrong = own.flatMap(({ others }) => others).filter(isOnePhoto).length;
    const all = `recall ${(right / own.length).toFixed(3)}, precision ${(right / Math.max(1, right + wrong)).toFixed(4)}`;
    console.log(`  ${part.padEnd(7)} ${'all'.padEnd(32)} ${all} (${wrong} wrong)\n`);
  }
}

/** Stores rows as listings on show, each of its seller, whose account is so many days old; answers their ids. */
async function insertRows(pool: Pool, rows: readonly HonestRow[], ageDays: number): Promise<string[]> {
  const now = Date.now();
  const sellers = new Map([...new Set(rows.map(({ seller }) => seller))].map((seller) => [seller, newId('user')]));
  const since = new Date(now - ageDays * DAY_MS).toISOString();
  const users = [...sellers.values()].map((id) => ({
    id,
    email: `${id.toLowerCase()}@example.com`,
    name: 'Member',
    type: 'human',
    role: 'user',
    verified: true,
    email_notifications: true,
    language: 'en',
    session_epoch: 0,
    created_at: since,
    updated_at: since,
  }));
  const listings = rows.map((row, index) => {
    const published = new Date(now - (1 + (20 * (rows.length - index)) / rows.length) * DAY_MS).toISOString();
    const { brand, model, year, length_m } = row;
    const id = newId('listing');
    return {
      id,
      slug: id.toLowerCase(),
      seller_id: sellers.get(row.seller),
      category_id: row.category,
      status: 'active',
      type: 'sale',
      condition: row.condition,
      title: row.title,
      description: row.description,
      price_amount: row.amount,
      price_currency: row.currency,
      price_negotiable: false,
      country: 'US',
      city: 'Miami',
      shipping: false,
      source: 'api',
      language: 'en',
      created_at: published,
      updated_at: published,
      published_at: published,
      expires_at: new Date(now + 10 * DAY_MS).toISOString(),
      version: 1,
      tags: [],
      attributes: { brand, model, year, length: length_m },
      year: year ?? null,
      length_m: length_m ?? null,
      images: [],
    };
  });
  await insert(pool, 'users', users);
  for (let at = 0; at < listings.length; at += 1_000) await insert(pool, 'listings', listings.slice(at, at + 1_000));
  return listings.map(({ id }) => id);
}

async function insert(pool: Pool, table: 'users' | 'listings', rows: readonly Record<string, unknown>[]) {
  const columns = Object.keys(rows[0] ?? {}).join(', ');
  await pool.query(
    `insert into ${table} (${columns}) select ${columns} from jsonb_populate_recordset(null::${table}, $1::jsonb)`,
    [JSON.stringify(rows)],
  );
}

/** What is found in a stored listing, were its account so old. */
async function check(services: EvidenceServices, id: string, ageDays: number): Promise<ScamEvidence[]> {
  const listing = await readCheckedListing(services.db, id);
  if (!listing) throw new Error(`${id} is not checked`);
  return gatherEvidence(services, { ...listing, member_since: new Date(Date.now() - ageDays * DAY_MS) });
}

async function reportHonest(services: EvidenceServices, rows: readonly HonestRow[], ids: readonly string[], n: number) {
  const { holdFrom } = services.profile.scamRules;
  console.log(
    `honest rows, each as if its account were a day old: held (score from ${holdFrom} on), and what is found`,
  );
  const totals = { fit: { held: 0, all: 0 }, report: { held: 0, all: 0 } };
  for (const [domain, group] of Map.groupBy(rows.entries(), ([, row]) => row.domain)) {
    const step = Math.max(1, group.length / n);
    const found = new Map<string, number>();
    let held = 0;
    let all = 0;
    for (let at = 0; at < group.length; at += step) {
      const evidence = await check(services, ids[group[Math.floor(at)]![0]]!, 1);
      all += 1;
      if (scoreOf(evidence) >= holdFrom) held += 1;
      for (const { signal, weight } of evidence)
        found.set(`${signal} ${weight}`, (found.get(`${signal} ${weight}`) ?? 0) + 1);
    }
    const { part } = group[0]![1];
    totals[part].held += held;
    totals[part].all += all;
    const signals = [...found].map(([name, count]) => `${name}: ${percent(count / all)}`).join(', ');
    console.log(
      `  ${part.padEnd(7)} ${domain.padEnd(18)} held ${percent(held / all).padStart(6)} of ${all}; ${signals}`,
    );
  }
  for (const part of ['fit', 'report'] as const) {
    const share = totals[part].held / totals[part].all;
    console.log(
      `  ${part.padEnd(7)} all held ${percent(share)} (at most ${percent(MAX_HELD)}: ${share <= MAX_HELD ? 'met' : 'MISSED'})`,
    );
  }
}

type Copying = { rows: readonly HonestRow[]; ids: readonly string[]; photos: readonly Photo[]; part: Photo['part'] };
/** What a fake takes of the ad that it copies. */
const scenarios = {
  'photo altered, own text, price 40 %': { photo: true, text: false, price: 0.4 },
  'photo altered, own text, price 70 %': { photo: true, text: false, price: 0.7 },
  'photo altered, same text, price 70 %': { photo: true, text: true, price: 0.7 },
  'no photo, same text, price 40 %': { photo: false, text: true, price: 0.4 },
  'no photo, own text, price 40 %': { photo: false, text: false, price: 0.4 },
} as const;

async function reportCopies(
  services: EvidenceServices,
  files: Map<string, Buffer>,
  { rows, ids, photos, part }: Copying,
) {
  const { pool } = services;
  const own = photos.filter((photo) => photo.part === part);
  const random = createRandom(7);
  const priced = [...rows.entries()].filter(
    ([, row]) => row.part === part && row.amount > 0 && row.condition === 'good',
  );
  const victims = own.map((photo, index) => ({
    photo,
    at: priced[Math.floor((index * priced.length) / own.length)]![0],
  }));
  for (const { photo, at } of victims) await showPhoto(pool, files, ids[at]!, photo.webp);
  console.log(
    `copies of ${part === 'fit' ? 'rows that were fitted on' : 'rows of the other domains'} by accounts of one day: held`,
  );
  const ways = Object.values(alterations);
  for (const [name, { photo: hasPhoto, text, price }] of Object.entries(scenarios)) {
    let held = 0;
    for (const [index, { photo, at }] of victims.entries()) {
      const row = rows[at]!;
      const description = text
        ? row.description
        : 'Sold because of an inheritance, please write first. Viewing is possible at any time.';
      const fake = { ...row, seller: `thief ${name} ${index}`, description, amount: Math.round(row.amount * price) };
      const [id = ''] = await insertRows(pool, [fake], 1);
      await pool.query('update listings set created_at = now() where id = $1', [id]);
      if (hasPhoto) await showPhoto(pool, files, id, await ways[index % ways.length]!(photo.webp, random));
      if (scoreOf(await check(services, id, 1)) >= services.profile.scamRules.holdFrom) held += 1;
      await pool.query('delete from listings where id = $1', [id]);
    }
    console.log(`  ${part.padEnd(7)} ${name.padEnd(40)} ${percent(held / victims.length)} of ${victims.length}`);
  }
}

/** Shows an image in a listing, as an upload would. */
async function showPhoto(pool: Pool, files: Map<string, Buffer>, id: string, image: Buffer): Promise<void> {
  const thumbnail = await sharp(image)
    .resize({ width: 400, height: 400, fit: 'inside', withoutEnlargement: true })
    .webp({ quality: 75 })
    .toBuffer();
  const sha256 = createHash('sha256').update(image).digest('hex');
  const key = `images/${sha256}.webp`;
  files.set(key, thumbnail);
  const core = String(coreHashOf(await readGrey(thumbnail)));
  await pool.query(
    `with stored as (
       insert into images (sha256, storage_key, thumbnail_key, width, height, bytes, dhash, created_at)
       values ($1, $2, $2, 400, 400, 1, 0, now()) on conflict do nothing)
     select`,
    [sha256, key],
  );
  await pool.query('insert into image_cores (sha256, core) values ($1, $2) on conflict do nothing', [sha256, core]);
  await pool.query('update listings set images = $2 where id = $1', [
    id,
    JSON.stringify([{ key, thumbnail_key: key }]),
  ]);
}

const percent = (share: number) => `${(share * 100).toFixed(1)} %`;
