import type { OperationId } from '../../../api/http/contract.ts';
import type { Services } from '../../../api/services.ts';
import { startLearning } from '../../../shared/scrapers/learnings.ts';
import { inTransaction } from '../../../db/client.ts';
import { createRun, createScraper } from '../openapi-cases-things.ts';
import type { Recipe } from './recipe.ts';

/** A run of that scraper that is in quarantine, and holds nothing back. */
export async function createQuarantinedRun(services: Services, scraperId: string): Promise<string> {
  const id = await createRun(services, scraperId, 'failed');
  await services.db
    .insertInto('run_findings')
    .values({
      run_id: id,
      quarantine_reasons: ['It found 1 records, where earlier runs found about 9.'],
      quarantined_at: services.clock.now(),
    })
    .execute();
  return id;
}

/** A queued learning of a site of its own, with one page looked at. */
async function createLearning(services: Services, startedBy: string): Promise<string> {
  learnt += 1;
  const url = `https://learnt-${learnt}.example.com/boats`;
  const id = await inTransaction(services.db, (tx) =>
    startLearning(tx, services.jobs, { url, scraperId: null, startedBy, fetchAllow: [] }, services.clock.now()),
  );
  const outline = JSON.stringify([{ kind: 'heading', text: 'Boats' }]);
  await services.db
    .insertInto('site_learning_pages')
    .values({ run_id: id, position: 0, url, html: Buffer.from(''), outline })
    .execute();
  return id;
}

let learnt = 0;

export const scraperRecipes: Partial<Record<OperationId, Recipe>> = {
  uploadFeed: async ({ services, admin }) => ({
    params: { id: await createScraper(services, admin, 'feed') },
    form: [{ name: 'file', bytes: Buffer.from('url,title\nhttps://boats.example.com/1,Example 37 Cruiser\n') }],
  }),
  acceptScraperRun: async ({ services, admin }) => {
    const id = await createScraper(services, admin);
    return { params: { id, runId: await createQuarantinedRun(services, id) } };
  },
  learnSite: async () => {
    learnt += 1;
    return { body: { url: `https://learnt-${learnt}.example.com/boats` } };
  },
  getLearning: async ({ services, admin }) => ({ params: { id: await createLearning(services, admin.id) } }),
  cancelLearning: async ({ services, admin }) => ({ params: { id: await createLearning(services, admin.id) } }),
  getLearningPage: async ({ services, admin }) => ({
    params: { id: await createLearning(services, admin.id), position: '0' },
  }),
};
