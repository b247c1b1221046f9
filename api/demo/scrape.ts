import { setTimeout as sleep } from 'node:timers/promises';
import type { Demo, Kept } from './demo.ts';

const NAME = 'Harbour board';

/** Schedules a scraper on the bundled site and starts its first run; one that is there stays as it is. */
export async function scheduleScraper({ perform, now, services }: Demo, admin: Kept, origin: string): Promise<string> {
  const { body: known } = await perform(admin, now, 'listScrapers');
  const existing = known.results.find(({ name }) => name === NAME);
  if (existing) return existing.id;
  const { body } = await perform(admin, now, 'createScraper', {
    body: {
      name: NAME,
      site: new URL(origin).hostname,
      kind: 'http',
      start_urls: [`${origin}/`],
      link_pattern: '/notices/[a-z0-9-]+$',
      pagination_pattern: '/page-\\d+$',
      extract: { mode: 'selectors', selectors: { title: 'h1', price: '.price', description: '.letter' } },
      category_id: services.config.profile === 'nautical' ? 'cruising' : 'furniture',
      max_pages: 50,
      requests_per_minute: 600,
      schedule: '0 4 * * *',
      auto_publish: true,
    },
  });
  await perform(admin, now, 'startScraperRun', { params: { id: body.id } });
  return body.id;
}

/** Resolves with the status of the scraper's last run when it has ended, or after the time that a demo may take for it. */
export async function awaitRun({ perform, clock }: Demo, admin: Kept, id: string, waitMs: number): Promise<string> {
  const deadline = performance.now() + waitMs;
  for (;;) {
    const { body } = await perform(admin, clock.now(), 'listScraperRuns', { params: { id } });
    const [last] = body.results;
    const hasEnded = last !== undefined && last.status !== 'queued' && last.status !== 'running';
    if (hasEnded || performance.now() > deadline) return last?.status ?? 'queued';
    await sleep(250);
  }
}
