import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { invalid, ServiceError } from '../../shared/kit/errors.ts';
import { cutText } from './present.ts';
import { defineTool, type ToolContext } from './tool.ts';

const WAIT_MS = 1_000;
const MAX_WAITS = 25;
const MAX_RECORDS = 3;
const MAX_TEXT = 200;
const id = z.string().min(1).max(120);

const record = z.record(z.string(), z.unknown());
/** What the job answers. */
const result = z.object({ error: z.string().nullable(), records: z.array(record) });

const output = z.object({
  job_id: z.string(),
  state: z.string(),
  error: z.string().nullable(),
  found: z.number(),
  records: z.array(record),
});

/** Reads one page with the settings of a scraper; a page that takes longer than a call may is asked for again by its job. */
export const tryPageTool = defineTool({
  name: 'try_scraper_on_page',
  title: 'Try a scraper on a page',
  description:
    'What a scraper would read from one page of its site. Stores nothing. Name scraper_id and url; later job_id.',
  input: z.object({ scraper_id: id.optional(), url: z.url().max(2_048).optional(), job_id: id.optional() }),
  output,
  scope: 'admin',
  effect: 'read',
  async run(context, { scraper_id, url, job_id }) {
    const job = await waitForJob(context, job_id ?? (await startTry(context, scraper_id, url)));
    if (job.state === 'failed' || job.state === 'cancelled')
      throw new ServiceError('conflict', `The page was not read: the job ${job.id} has ${job.state}.`);
    if (job.state !== 'completed') {
      const data = { job_id: job.id, state: job.state, error: null, found: 0, records: [] };
      return { data, text: `Not read yet. Next: try_scraper_on_page with job_id \`${job.id}\`.` };
    }
    const { error, records } = result.parse(job.result);
    const shown = records.slice(0, MAX_RECORDS).map(toShown);
    const data = { job_id: job.id, state: job.state, error, found: records.length, records: shown };
    const lines = [
      `${records.length} ${records.length === 1 ? 'record' : 'records'}.`,
      ...(error === null ? [] : [`Error: ${error}`]),
      ...shown.map((record) => `- ${JSON.stringify(record)}`),
    ];
    return { data, text: lines.join('\n') };
  },
});

async function startTry({ perform }: ToolContext, scraperId: string | undefined, url: string | undefined) {
  if (scraperId === undefined || url === undefined) throw invalid('Name scraper_id and url, or the job_id of a try.');
  const { body } = await perform('tryScraperPage', { params: { id: scraperId }, body: { url } });
  return body.job_id;
}

/** The job when it has ended, or as it is after 25 seconds. */
async function waitForJob({ perform }: ToolContext, jobId: string) {
  for (let waits = 0; ; waits += 1) {
    const { body } = await perform('getJob', { params: { id: jobId } });
    if (body.queue !== 'try-page') throw invalid('The job is none of this tool.');
    if (!['queued', 'active', 'retry'].includes(body.state) || waits === MAX_WAITS) return body;
    await sleep(WAIT_MS);
  }
}

/** The fields of a record that tell whether it was read rightly. */
const told = new Set(['url', 'title', 'category', 'condition', 'price', 'location', 'attributes', 'boat']);

function toShown(found: z.output<typeof record>): z.output<typeof record> {
  const facts = Object.entries(found).filter(([name, value]) => told.has(name) && value !== undefined);
  const { description, images } = found;
  return {
    ...Object.fromEntries(facts),
    ...(typeof description === 'string' && { description: cutText(description, MAX_TEXT) }),
    images: Array.isArray(images) ? images.length : 0,
  };
}
