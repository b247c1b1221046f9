import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { verifyWebhook } from '../../../api/sdk/src/index.ts';
import { inTransaction } from '../../../db/client.ts';
import { recordEvents, type NewEvent } from '../../../shared/journal/events.ts';
import { newId } from '../../../shared/kit/ids.ts';
import { startApp, type TestApp, type TestUser } from '../../support/app.ts';
import { newPhoto } from '../../support/pictures.ts';
import { compileCache, freePort, startProcess } from '../../support/processes.ts';
import { runProgram, type ProgramResult } from '../../support/run-program.ts';
import { startSite } from '../../support/site-server.ts';
import { eventually } from '../../support/waiting.ts';

const program = fileURLToPath(new URL('../../../api/sdk/src/cli/main.ts', import.meta.url));
const folders: string[] = [];
const newFolder = () => {
  const folder = mkdtempSync(join(tmpdir(), 'quayside-cli-'));
  folders.push(folder);
  return folder;
};

let app: TestApp;
let seller: TestUser;
beforeAll(async () => {
  app = await startApp();
  seller = await app.createUser({ email: 'seller@example.com' });
});
afterAll(async () => {
  await app.close();
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

const baseEnv = () => ({ PATH: process.env['PATH'] ?? '', HOME: newFolder(), ...compileCache });
/** The program with the seller's credential, in a folder outside the repository. */
const quayside = (
  args: string[],
  { input, env, cwd }: { input?: string; env?: Record<string, string>; cwd?: string } = {},
) =>
  runProgram(process.execPath, [program, ...args], {
    env: { ...baseEnv(), QUAYSIDE_URL: app.url, QUAYSIDE_TOKEN: seller.token, ...env },
    ...(input !== undefined && { input }),
    cwd: cwd ?? tmpdir(),
  });
const jsonOf = ({ stdout }: ProgramResult) => JSON.parse(stdout);

const boat = (title: string) => ({
  title,
  description: `${title}: a well kept cruising yacht with new sails and a serviced engine.`,
  category_id: 'sailboats',
  condition: 'good',
  price: { amount: 89_000, currency: 'EUR', negotiable: true },
  location: { country: 'DE', city: 'Kiel', shipping: false },
  attributes: { brand: 'Bavaria', year: 2015, length: 11.3 },
});
async function publish(title: string): Promise<string> {
  const { body } = await app.as(seller).post('/api/listings', boat(title));
  await app.as(seller).post(`/api/listings/${body.id}/publish`);
  return body.id;
}
const write = (...events: NewEvent[]) =>
  inTransaction(app.database.db, (tx) => recordEvents(tx, app.services.clock.now(), events));
const eventOf = (owner: TestUser, type: NewEvent['type'] = 'listing.sold'): NewEvent => ({
  type,
  subject: newId('listing'),
  ownerId: owner.id,
  data: { title: 'Bavaria 37' },
});

describe('login', () => {
  const credentials = (home: string) => join(home, 'quayside/credentials.json');

  test('keeps a key that works, readable by its owner alone, and later commands use it', async () => {
    const config = newFolder();
    const env = { ...baseEnv(), XDG_CONFIG_HOME: config };
    const bare = (args: string[], input = '') =>
      runProgram(process.execPath, [program, ...args], { env, input, cwd: tmpdir() });
    const login = await bare(['login', '--url', `${app.url}/`], `${seller.token}\n`);
    expect([login.code, login.stdout]).toEqual([0, expect.stringContaining('as seller@example.com')]);
    expect(login.stdout + login.stderr).not.toContain(seller.token);
    expect(statSync(credentials(config)).mode & 0o777).toBe(0o600);
    await publish('A boat for somebody who is logged in');
    const tail = await bare(['tail', '--after', '0', '-n', '1', '--json']);
    expect([tail.code, jsonOf(tail).type]).toEqual([0, 'listing.created']);
    expect((await bare(['logout'])).code).toBe(0);
    expect(readFileSync(credentials(config), 'utf8')).not.toContain(seller.token);
    expect((await bare(['tail', '--url', app.url, '-n', '1'])).code).toBe(3);
  });

  test('with an email asks for the password, and keeps a session', async () => {
    const account = { email: 'cli@example.com', password: 'correct horse battery', name: 'Ada' };
    await app.as().post('/api/auth/register', account);
    const home = newFolder();
    const { code } = await quayside(['login', '--email', account.email], {
      input: `${account.password}\n`,
      env: { HOME: home },
    });
    expect(code).toBe(0);
    expect(existsSync(credentials(join(home, '.config')))).toBe(true);
  });

  test('keeps nothing that does not work', async () => {
    const config = newFolder();
    const { code, stderr } = await quayside(['login', '--token', 'svc_nothing'], { env: { XDG_CONFIG_HOME: config } });
    expect([code, stderr]).toEqual([3, expect.stringContaining('quayside login')]);
    expect(existsSync(credentials(config))).toBe(false);
  });
});

describe('search and show', () => {
  test('find by words and filters, in lines of cells for a pipe', async () => {
    const id = await publish('Quillfeather Cruiser 37');
    const { code, stdout } = await quayside([
      'search',
      'quillfeather',
      '--category',
      'sailboats,dinghies',
      '--attr',
      'min_length=10',
      '--max-price',
      '90000',
    ]);
    expect([code, stdout]).toEqual([0, `${id}\tQuillfeather Cruiser 37\t89,000 EUR\t2015\tKiel, DE\n`]);
    const none = await quayside(['search', 'quillfeather', '--attr', 'min_length=20', '--json']);
    expect(jsonOf(none)).toMatchObject({ results: [], pagination: { total: 0 } });
  });

  test('show a listing as Markdown and as JSON', async () => {
    const id = await publish('Wrenwater Cruiser 37');
    const shown = await quayside(['show', id]);
    expect([shown.code, shown.stdout]).toEqual([0, expect.stringContaining('\n  city: Kiel\n')]);
    expect(jsonOf(await quayside(['show', id, '--json']))).toMatchObject({ id, status: 'active' });
  });

  test('what is not there is exit code 4, a wrong value 1 with its field, both as JSON too', async () => {
    expect((await quayside(['show', 'no-such-boat'])).code).toBe(4);
    const missing = await quayside(['show', 'no-such-boat', '--json']);
    expect([missing.stdout, JSON.parse(missing.stderr)]).toMatchObject([
      '',
      { error: { code: 'not_found', status: 404 } },
    ]);
    const wrong = await quayside(['search', '--min-price', 'cheap']);
    expect([wrong.code, wrong.stderr]).toEqual([1, expect.stringContaining('/query/min_price')]);
  });
});

describe('publish', () => {
  const newListingFolder = async (fields: string, images = 2): Promise<string> => {
    const folder = newFolder();
    for (let n = 0; n < images; n += 1) writeFileSync(join(folder, `${n + 1}.jpg`), await newPhoto());
    writeFileSync(join(folder, 'boat.md'), fields);
    return folder;
  };
  const matter = (title: string) => `---
category: sailboats
price: 89000 EUR
location: { country: DE, city: Kiel, shipping: false }
attributes: { brand: Bavaria, year: 2015 }
---
# ${title}

Well kept cruising yacht from 2015 with new sails and a serviced engine.
`;

  test('uploads the images, creates the listing and, with --yes, publishes it', async () => {
    const folder = await newListingFolder(matter('A boat of a folder'));
    const listing = jsonOf(await quayside(['publish', folder, '--yes', '--json']));
    expect(listing).toMatchObject({
      status: 'active',
      title: 'A boat of a folder',
      category: { id: 'sailboats' },
      price: { amount: 89_000, currency: 'EUR' },
    });
    expect(listing.images).toHaveLength(2);
    expect(listing.description).toBe('Well kept cruising yacht from 2015 with new sails and a serviced engine.');
  });

  test('asks before, leaves a draft without a yes, and publishes that later', async () => {
    const refused = await quayside(['publish', await newListingFolder(matter('A boat in doubt'), 1)], { input: 'n\n' });
    expect(refused.stderr).toContain("Publish 'A boat in doubt' for 89,000 EUR with 1 images? [y/N]");
    const [id = '', status] = refused.stdout.split('\t');
    expect([refused.code, status]).toEqual([0, 'draft']);
    expect(refused.stderr).toContain(`quayside publish ${id}`);
    const unanswered = await quayside(['publish', id]);
    expect([unanswered.code, unanswered.stdout.split('\t')[1]]).toEqual([0, 'draft']);
    const agreed = await quayside(['publish', id], { input: 'y\n' });
    expect([agreed.code, agreed.stdout.split('\t')[1]]).toEqual([0, 'active']);
  });

  test('says what is wrong with a folder before anything is uploaded', async () => {
    const cases: [string, RegExp][] = [
      [join(tmpdir(), 'no-such-folder'), /cannot be read/],
      [newFolder(), /no text/],
      [await newListingFolder('A text without its fields.', 0), /no front matter/],
      [await newListingFolder('---\na: [1\n---\n', 0), /not YAML/],
      [await newListingFolder(matter('Too many images'), 11), /at most 10/],
    ];
    for (const [folder, message] of cases) {
      const { code, stderr } = await quayside(['publish', folder, '--yes']);
      expect([code, stderr]).toEqual([1, expect.stringMatching(message)]);
    }
    const refused = await quayside(['publish', await newListingFolder(matter('Tiny'), 0), '--yes']);
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('/body/title')]);
  });
});

describe('tail and listen', () => {
  test('tail prints events as they happen, of one type, until it is told to end', async () => {
    const person = await app.createUser();
    const child = startProcess(
      program,
      { HOME: newFolder(), QUAYSIDE_URL: app.url, QUAYSIDE_TOKEN: person.token },
      undefined,
      ['tail', '--after', '0', '--type', 'listing.sold'],
    );
    const [first, other, second] = [eventOf(person), eventOf(person, 'listing.expired'), eventOf(person)];
    await write(first, other);
    await eventually(() => child.output().includes(first.subject), { describe: child.output });
    await write(second);
    await eventually(() => child.output().includes(second.subject), { describe: child.output });
    expect(child.output()).not.toContain(other.subject);
    expect(await child.kill('SIGINT')).toBe(0);
  });

  test('listen posts them as webhooks that verifyWebhook believes, and goes on where the server is not there', async () => {
    const person = await app.createUser();
    const received: Promise<unknown>[] = [];
    const secret = `whsec_${Buffer.from('a secret of the tests').toString('base64')}`;
    const site = await startSite({
      '/hook': (request: IncomingMessage, response: ServerResponse) => {
        received.push(text(request).then((body) => verifyWebhook(body, request.headers, secret)));
        response.writeHead(204).end();
      },
    });
    await write(eventOf(person), eventOf(person, 'listing.expired'));
    const env = { QUAYSIDE_TOKEN: person.token };
    const args = ['--after', '0', '-n', '2', '--json', '--secret', secret];
    const { code, stdout } = await quayside(['listen', `${site.url}/hook`, ...args], { env });
    expect(code).toBe(0);
    expect(
      stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line).status),
    ).toEqual([204, 204]);
    expect(await Promise.all(received)).toMatchObject([{ type: 'listing.sold' }, { type: 'listing.expired' }]);
    await site.close();
    const nobody = await quayside(['listen', `http://127.0.0.1:${await freePort()}/`, ...args], { env });
    expect([nobody.code, nobody.stdout]).toEqual([0, expect.stringContaining('ECONNREFUSED')]);
  });
});

describe('scrape --dry', () => {
  test('in the repository runs its crawler, which prints records and stores nothing', async () => {
    const markup = JSON.stringify({
      '@context': 'https://schema.org',
      '@type': 'Product',
      name: 'Bavaria 37 Cruiser',
      description: 'Well kept cruising yacht from 2015 with new sails and a serviced engine.',
      offers: { '@type': 'Offer', price: '89000', priceCurrency: 'EUR' },
    });
    const page = `<html><head><title>Bavaria 37</title><script type="application/ld+json">${markup}</script></head><body><h1>Bavaria 37 Cruiser</h1></body></html>`;
    const site = await startSite({ '/boat': page, '/robots.txt': 'User-agent: *\nAllow: /' });
    const { code, stdout, stderr } = await quayside(['scrape', '--dry', '--json', `${site.url}/boat`], {
      cwd: fileURLToPath(new URL('../../..', import.meta.url)),
      env: { FETCH_ALLOW: new URL(site.url).host, DATA_DIR: newFolder(), LOG_LEVEL: 'silent' },
    });
    expect([code, stderr]).toEqual([0, expect.stringContaining('1 record')]);
    expect(JSON.parse(stdout.trim().split('\n')[0] ?? '')).toMatchObject({ title: 'Bavaria 37 Cruiser' });
    await site.close();
  });

  test('elsewhere asks the server, which is for administrators, and never runs without --dry', async () => {
    expect((await quayside(['scrape', '--dry', 'https://example.com/'])).code).toBe(3);
    expect(await quayside(['scrape', '--dry', 'my scraper'])).toMatchObject({ code: 1, stderr: /repository/ });
    expect((await quayside(['scrape', 'https://example.com/'])).code).toBe(2);
  });
});

describe('the command line', () => {
  test.each(['bash', 'zsh', 'fish'])(
    'has completion for %s, which knows every command and its options',
    async (shell) => {
      const { code, stdout } = await quayside(['completion', shell]);
      expect(code).toBe(0);
      for (const word of ['login', 'publish', 'completion', 'max-price', 'dry']) expect(stdout).toContain(word);
    },
  );

  test('completes in bash', async () => {
    const { stdout } = await quayside(['completion', 'bash']);
    const script = `${stdout}\nCOMP_WORDS=(quayside search --max); COMP_CWORD=2; _quayside; echo "\${COMPREPLY[@]}"; COMP_WORDS=(quayside pub); COMP_CWORD=1; _quayside; echo "\${COMPREPLY[@]}"`;
    const completed = await runProgram('/bin/bash', ['-c', script], { env: baseEnv() });
    expect(completed.stdout).toBe('--max-price\npublish\n');
  });

  test.each([
    [['nonsense'], 'nonsense'],
    [['search', '--nonsense'], '--nonsense'],
    [['show'], 'quayside show ID'],
    [['tail', '--after', 'x'], '--after'],
    [['search', '--attr', 'x'], 'KEY=VALUE'],
    [['search', '--url', 'ftp://example.com'], 'http(s)'],
    [['listen', 'nowhere'], 'http(s)'],
    [['completion', 'csh'], 'bash'],
  ])('%j is exit code 2, and says why', async (args, message) => {
    const { code, stdout, stderr } = await quayside(args);
    expect([code, stdout, stderr]).toEqual([2, '', expect.stringContaining(message)]);
  });

  test('has help for all commands and for each, in whatever order', async () => {
    const overview = await quayside([]);
    expect([overview.code, overview.stdout]).toEqual([0, expect.stringContaining('publish')]);
    expect((await quayside(['--url', app.url, 'search', '--help'])).stdout).toContain('--max-price');
  });

  test('is there in the repository as npx quayside and npm run quayside', async () => {
    const cwd = fileURLToPath(new URL('../../..', import.meta.url));
    const { version, bin } = JSON.parse(readFileSync(join(cwd, 'package.json'), 'utf8'));
    const env = baseEnv();
    const byBin = await runProgram(join(cwd, bin.quayside), ['--version'], { env, cwd: tmpdir() });
    const byScript = await runProgram('npm', ['run', '-s', 'quayside', '--', '--version'], { env, cwd });
    expect([byBin.stdout, byScript.stdout]).toEqual([`${version}\n`, `${version}\n`]);
  });

  test('a service that is not there is exit code 5', async () => {
    const { code, stderr } = await quayside(['search', '--url', `http://127.0.0.1:${await freePort()}`]);
    expect([code, stderr]).toEqual([5, expect.stringContaining('cannot be reached')]);
  });
});
