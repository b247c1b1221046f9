import type { OperationId } from '../../../api/http/contract.ts';
import type { Services } from '../../../api/services.ts';
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

export const scraperRecipes: Partial<Record<OperationId, Recipe>> = {
  uploadFeed: async ({ services, admin }) => ({
    params: { id: await createScraper(services, admin, 'feed') },
    form: [{ name: 'file', bytes: Buffer.from('url,title\nhttps://boats.example.com/1,Example 37 Cruiser\n') }],
  }),
  acceptScraperRun: async ({ services, admin }) => {
    const id = await createScraper(services, admin);
    return { params: { id, runId: await createQuarantinedRun(services, id) } };
  },
};
