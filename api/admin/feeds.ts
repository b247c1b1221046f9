import { inTransaction } from '../../db/client.ts';
import { createPrivateStorage } from '../../shared/adapters/create-storage.ts';
import type { Storage } from '../../shared/adapters/storage.ts';
import { feedSettings } from '../../shared/feeds/mapping.ts';
import { conflict, invalid, notFound } from '../../shared/kit/errors.ts';
import { findLiveRun } from '../../shared/runs/control.ts';
import { newFeedKey } from '../../shared/scrapers/feed-files.ts';
import * as runs from '../../shared/scrapers/runs.ts';
import { defaultSite, mappingProblems } from '../../shared/scrapers/settings.ts';
import type { AuthenticatedHandler, Handler } from '../handler.ts';
import type { UploadedFile } from '../http/multipart.ts';
import type { Services } from '../services.ts';
import { presentRun } from './scrapers-present.ts';

/** Stores a feed and queues the run that reads it; 409 while another run of the scraper is live. */
export const uploadFeed: AuthenticatedHandler<'uploadFeed'> = async (services, { params, files, caller }) => {
  const { db, jobs, clock, config } = services;
  await requireIdleFeed(db, params.id);
  const [file] = files;
  const storage = await createPrivateStorage(config);
  const key = newFeedKey();
  await store(storage, key, file);
  try {
    const row = await inTransaction(db, async (tx) => {
      const uploaded = { file: { key, sha256: file.sha256 } };
      const run = { scraperId: params.id, trigger: 'manual' as const, startedBy: caller.userId, params: uploaded };
      const runId = await runs.startScraperRun(tx, jobs, run, clock.now());
      return tx.selectFrom('runs').selectAll().where('id', '=', runId).executeTakeFirstOrThrow();
    });
    return { status: 202, body: { ...presentRun(row), job_id: row.job_id ?? '' } };
  } catch (error) {
    await storage.delete([key]);
    throw error;
  }
};

async function requireIdleFeed(db: Services['db'], id: string): Promise<void> {
  const scraper = await db.selectFrom('scrapers').select('kind').where('id', '=', id).executeTakeFirst();
  if (!scraper) throw notFound('scraper', id);
  if (scraper.kind !== 'feed') throw conflict(`This scraper is of the kind '${scraper.kind}'; it reads no feed.`);
  const live = await inTransaction(db, (tx) => findLiveRun(tx, 'scraper', id));
  if (live) throw conflict('A run is already queued or running here.');
}

async function store(storage: Storage, key: string, file: UploadedFile): Promise<void> {
  const stored = await storage.begin(key, { contentType: 'application/octet-stream' });
  try {
    for await (const piece of file.pieces()) await stored.write(piece);
    await stored.finish();
  } catch (error) {
    await stored.abandon();
    throw error;
  }
}

/** The first items of a feed as they would be ingested; nothing is stored. */
export const previewFeed: Handler<'previewFeed'> = async ({ config, catalog, clock, recordCheck }, { body }) => {
  const { url, content, category_id: categoryId = null } = body;
  if ((url === undefined) === (content === undefined))
    throw invalid('A preview needs a feed to read.', [{ path: '/body', message: 'must have either url or content' }]);
  const feed = feedSettings.safeParse(body.feed);
  const errors = mappingProblems(body.feed);
  const site = body.site?.toLowerCase() ?? defaultSite(url === undefined ? [] : [url]);
  if (site === '') errors.push({ path: '/body/site', message: 'is needed to tell whose pages the items have' });
  if (categoryId !== null && !catalog.find(categoryId))
    errors.push({ path: '/body/category_id', message: `There is no category '${categoryId}'.` });
  if (!feed.success || errors.length > 0) throw invalid('This feed cannot be read as described.', errors);
  const { fetchFeedHead, previewItems } = await import('../../shared/scrapers/feed-preview.ts');
  const head = content === undefined ? await fetchFeedHead(url ?? '', config) : { bytes: Buffer.from(content) };
  if ('problem' in head) return { status: 200, body: { items: [], problems: [head.problem] } };
  const scraper = { id: 'preview', site, category_id: categoryId, feed: feed.data };
  return { status: 200, body: await previewItems(scraper, head, await recordCheck(), clock.now()) };
};
