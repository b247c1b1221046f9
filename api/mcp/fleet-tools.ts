import { z } from 'zod';
import { tryPageTool } from './try-page-tool.ts';
import { defineTool, type Tool } from './tool.ts';

const run = z.object({
  id: z.string(),
  scraper_id: z.string(),
  status: z.string(),
  pages_fetched: z.number(),
  records_found: z.number(),
  created: z.number(),
  updated: z.number(),
  failed: z.number(),
  withdrawn: z.number(),
  finished_at: z.string().nullable(),
  errors: z.array(z.unknown()),
});
type Run = z.output<typeof run>;

const toRun = ({ errors, ...rest }: Run): Run => ({
  id: rest.id,
  scraper_id: rest.scraper_id,
  status: rest.status,
  pages_fetched: rest.pages_fetched,
  records_found: rest.records_found,
  created: rest.created,
  updated: rest.updated,
  failed: rest.failed,
  withdrawn: rest.withdrawn,
  finished_at: rest.finished_at,
  errors: errors.slice(0, 3),
});

const renderRun = (each: Run) =>
  `- \`${each.id}\` of \`${each.scraper_id}\`: ${each.status}; ${each.pages_fetched} pages, ${each.created} created, ${each.updated} updated, ${each.failed} failed`;

/** Scraper runs and queues. */
export const fleetTools: Tool[] = [
  defineTool({
    name: 'run_scraper',
    title: 'Run a scraper',
    description: 'Starts a run of a scraper now. Next: run_status.',
    input: z.object({ scraper_id: z.string().min(1).max(120) }),
    output: run,
    scope: 'admin',
    effect: 'write',
    confirm: 'This reads another site, and publishes what it finds if the scraper is set so.',
    async run({ perform }, { scraper_id }) {
      const data = toRun((await perform('startScraperRun', { params: { id: scraper_id } })).body);
      return { data, text: renderRun(data) };
    },
  }),
  tryPageTool,
  defineTool({
    name: 'run_status',
    title: 'How runs go',
    description: 'The newest runs, of one scraper or of all; and the scrapers with their ids.',
    input: z.object({
      scraper_id: z.string().min(1).max(120).optional(),
      limit: z.number().int().min(1).max(20).default(5),
    }),
    output: z.object({
      runs: z.array(run),
      scrapers: z.array(z.object({ id: z.string(), name: z.string(), enabled: z.boolean() })),
    }),
    scope: 'admin',
    effect: 'read',
    async run({ perform }, query) {
      const { body } = await perform('listRuns', { query });
      const listed = await perform('listScrapers', { query: { limit: 50 } });
      const scrapers = listed.body.results.map(({ id, name, enabled }) => ({ id, name, enabled }));
      const runs = body.results.map((each) => toRun(each));
      return { data: { runs, scrapers }, text: runs.map(renderRun).join('\n') || 'Nothing has run.' };
    },
  }),
  defineTool({
    name: 'queue_health',
    title: 'How the queues are',
    description: 'The queues of jobs: what waits, runs, has failed or is dead.',
    input: z.object({}),
    output: z.object({
      queues: z.array(
        z.object({
          name: z.string(),
          paused: z.boolean(),
          queued: z.number(),
          active: z.number(),
          failed: z.number(),
          dead: z.number(),
        }),
      ),
    }),
    scope: 'admin',
    effect: 'read',
    async run({ perform }) {
      const { body } = await perform('listQueues');
      const queues = body.results.map(({ name, paused, queued, active, failed, dead }) => ({
        name,
        paused,
        queued,
        active,
        failed,
        dead,
      }));
      const lines = queues
        .filter(({ paused, queued, active, failed, dead }) => paused || queued + active + failed + dead > 0)
        .map(
          ({ name, paused, queued, active, failed, dead }) =>
            `- ${name}${paused ? ' (paused)' : ''}: ${queued} queued, ${active} active, ${failed} failed, ${dead} dead`,
        );
      return { data: { queues }, text: lines.join('\n') || 'All queues are empty.' };
    },
  }),
];
