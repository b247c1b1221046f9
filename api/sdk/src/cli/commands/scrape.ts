import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { unwrap, type QuaysideClient } from '../../client.ts';
import type { components } from '../../contract.ts';
import { paginate } from '../../paginate.ts';
import { pause } from '../../retry.ts';
import { CommandError, UsageError, numberFlag, type Command, type CommandContext } from '../command.ts';

type Learning = components['schemas']['SiteLearning'];

const POLL_MS = 1_000;
const WORKSPACE = 'scrapers/cli/scrape.ts';

/** Shows what would be read from a site; nothing is stored. */
export const scrapeCommand: Command = {
  name: 'scrape',
  summary: "show what a scraper would read: with the repository's crawler, else what the server learns of the site",
  positionals: 'URL|NAME',
  arity: [1, 1],
  flags: {
    dry: { type: 'boolean', about: 'store nothing (has to be given)' },
    'max-pages': { type: 'string', value: 'N', about: 'most pages; 1 for a URL' },
  },
  async run(context, values, [target = '']) {
    if (values['dry'] !== true)
      throw new UsageError('It only runs dry, with --dry; a run that stores is POST /api/admin/scrapers/{id}/runs.');
    const maxPages = numberFlag(values, 'max-pages', 1);
    const isUrl = /^https?:\/\//i.test(target);
    const repository = await findRepository(process.cwd());
    if (repository !== undefined) {
      const subject = isUrl ? target : await findScraper(context.client, target);
      return crawlInRepository(repository, subject, { isJson: context.isJson, maxPages });
    }
    if (!isUrl)
      throw new CommandError('A scraper is run dry in the repository of Quayside; here only a URL can be looked at.');
    return learn(context, target);
  },
};

/** The nearest folder upwards that is the service's repository. */
async function findRepository(folder: string): Promise<string | undefined> {
  const manifest = await readFile(join(folder, 'package.json'), 'utf8').catch(() => '{}');
  const isThere = manifest.includes(WORKSPACE);
  const parent = dirname(folder);
  return isThere ? folder : parent === folder ? undefined : findRepository(parent);
}

async function findScraper(client: QuaysideClient, name: string): Promise<string> {
  if (/^scr_[0-9A-Z]{26}$/.test(name)) return name;
  for await (const scraper of paginate(client, '/api/admin/scrapers', { params: { query: { limit: 100 } } }))
    if (scraper.name === name) return scraper.id;
  throw new CommandError(`There is no scraper named '${name}'.`);
}

async function crawlInRepository(
  folder: string,
  subject: string,
  { isJson, maxPages }: { isJson: boolean; maxPages: number | undefined },
): Promise<number> {
  const options = [
    '--dry',
    ...(isJson ? ['--json'] : []),
    ...(maxPages === undefined ? [] : ['--max-pages', String(maxPages)]),
  ];
  const child = spawn('npm', ['run', '-s', 'scrape', '--', subject, ...options], { cwd: folder, stdio: 'inherit' });
  const [code] = (await once(child, 'exit')) as [number | null];
  return code ?? 1;
}

/** Lets the server read the site as it learns one, which stores nothing of what it finds. */
async function learn({ client, isJson, printJson, printTable, note }: CommandContext, url: string): Promise<void> {
  const started = await unwrap(client.POST('/api/admin/scrapers/learn', { body: { url } }));
  let learning: Learning = started;
  while (learning.status === 'queued' || learning.status === 'running') {
    await pause(POLL_MS);
    learning = await unwrap(client.GET('/api/admin/learnings/{id}', { params: { path: { id: started.id } } }));
  }
  if (learning.status !== 'succeeded') throw new CommandError(learning.error ?? `Learning has ${learning.status}.`);
  if (isJson) return printJson(learning);
  note(`${learning.pages_fetched} pages read, ${learning.pages_failed} failed`);
  printTable(
    ['FIELD', 'FILLED', 'SAMPLES'],
    (learning.proposal?.fields ?? []).map(({ name, filled, samples }) => [
      name,
      String(filled),
      samples.map(({ value }) => value).join(' | '),
    ]),
  );
}
