import { spawnSync } from 'node:child_process';
import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startApp, type TestApp, type TestUser } from '../../support/app.ts';
import { findOldNode } from '../../support/old-node.ts';
import { newPhoto } from '../../support/pictures.ts';
import { freePort, startProcess } from '../../support/processes.ts';
import { runProgram } from '../../support/run-program.ts';
import { installSdk } from '../../support/sdk-package.ts';
import { eventually } from '../../support/waiting.ts';

const tsc = fileURLToPath(new URL('../../../node_modules/typescript/bin/tsc', import.meta.url));
const oldNode = findOldNode();

let folder: string;
beforeAll(() => {
  folder = installSdk();
}, 120_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const installed = (...path: string[]) => join(folder, 'node_modules/quayside', ...path);
const filesOf = () =>
  readdirSync(installed(), { recursive: true, encoding: 'utf8', withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(installed().length + 1));

describe('what is published', () => {
  test('is built JavaScript with its declarations, the README, the licence and the manifest, and nothing else', () => {
    const strays = filesOf().filter((file) => !/^dist\/(?:openapi\.gen|sdk\/src\/[a-z/.-]+)\.(?:d\.ts|js)$/.test(file));
    expect(strays.toSorted()).toEqual(['README.md', 'dist/LICENSE', 'package.json']);
  });

  test('has every file that the manifest names, and a program that can be run', () => {
    const manifest = JSON.parse(readFileSync(installed('package.json'), 'utf8'));
    const named = [manifest.types, manifest.bin.quayside, ...Object.values(manifest.exports['.'])] as string[];
    expect(filesOf()).toEqual(expect.arrayContaining(named.map((file) => file.replace(/^\.\//, ''))));
    expect(readFileSync(installed(manifest.bin.quayside), 'utf8')).toMatch(/^#!\/usr\/bin\/env node\n/);
    expect(manifest).toMatchObject({ type: 'module', engines: { node: '>=20' } });
  });

  test('imports only its own files, its dependencies and, in the command line, Node', () => {
    const imports = filesOf()
      .filter((file) => /\.(?:js|d\.ts)$/.test(file))
      .flatMap((file) =>
        [...readFileSync(installed(file), 'utf8').matchAll(/(?:from|import\() ?['"]([^'"]+)['"]/g)].map(
          ([, target = '']) => ({ file, target }),
        ),
      );
    const strays = imports.filter(
      ({ file, target }) =>
        !/^\.\.?\/.*\.js$/.test(target) &&
        target !== 'openapi-fetch' &&
        !(file.includes('/cli/') && (target === 'yaml' || target.startsWith('node:'))),
    );
    expect(strays).toEqual([]);
  });
});

describe('its types', () => {
  /** What tsc complains of in a program that uses the package. */
  function compile(name: string, options: object): string {
    const settings = {
      strict: true,
      noEmit: true,
      target: 'es2022',
      module: 'nodenext',
      skipLibCheck: true,
      ...options,
    };
    writeFileSync(join(folder, `${name}.json`), JSON.stringify({ compilerOptions: settings, files: [`${name}.ts`] }));
    const { stdout } = spawnSync(process.execPath, [tsc, '-p', `${name}.json`], { cwd: folder, encoding: 'utf8' });
    return stdout;
  }
  const program = `import { createClient, followEvents, paginate, verifyWebhook } from 'quayside';
    const client = createClient({ baseUrl: 'https://example.com' });
    for await (const { title } of paginate(client, '/api/listings')) title.toUpperCase();
    for await (const event of followEvents(client)) if (event.type === 'listing.sold') event.data.price.amount.toFixed();
    const { data, error } = await client.GET('/api/listings/{id}', { params: { path: { id: 'a' } } });
    if (error) throw error;
    data.price.amount.toFixed();
    // @ts-expect-error
    data.nothing;
    const event = await verifyWebhook('', new Headers(), 'whsec_');
    if (event.type === 'ping') event.id.toUpperCase();
    export {};`;

  test.each([
    ["Node's library alone", { lib: ['es2023'], types: ['node'] }],
    ["a browser's library alone", { lib: ['es2023', 'dom', 'dom.iterable', 'dom.asynciterable'], types: [] }],
    ["a bundler's resolution", { lib: ['es2023', 'dom'], types: [], module: 'esnext', moduleResolution: 'bundler' }],
  ])('compile strictly with %s', (_, options) => {
    writeFileSync(join(folder, 'program.ts'), program);
    expect(compile('program', options)).toBe('');
  });

  test('fit the examples', () => {
    for (const name of readdirSync(join(folder, 'examples'))) {
      cpSync(join(folder, 'examples', name), join(folder, name));
      expect(compile(name.replace('.ts', ''), { lib: ['es2023'], types: ['node'] })).toBe('');
    }
  });
});

describe('its examples run against the service', () => {
  let app: TestApp;
  let seller: TestUser;
  beforeAll(async () => {
    app = await startApp();
    seller = await app.createUser();
  });
  afterAll(() => app.close());

  /** The example as a process, with what it has printed. */
  const run = (name: string, env: Record<string, string> = {}, args: string[] = []) =>
    startProcess(
      join(folder, 'examples', `${name}.ts`),
      { QUAYSIDE_URL: app.url, QUAYSIDE_TOKEN: seller.token, ...env },
      undefined,
      args,
    );
  async function outputOf(...args: Parameters<typeof run>): Promise<string> {
    const child = run(...args);
    await child.ended;
    return child.output();
  }

  test('a listing is sold, found, followed, and its errors told', async () => {
    writeFileSync(join(folder, 'photo.jpg'), await newPhoto());
    expect(await outputOf('sell', {}, [join(folder, 'photo.jpg')])).toMatch(
      /^bavaria-37-cruiser-one-owner\S* is active\n$/,
    );
    expect(await outputOf('search')).toMatch(/^Bavaria 37 Cruiser, one owner: 89000 EUR\n.*sailboats/s);
    expect(await outputOf('errors')).toMatch(/^It is gone \(request \S+\)\.\n$/);
    const { body } = await app.as(seller).get('/api/me/listings');
    await app.as(seller).post(`/api/listings/${body.results[0].id}/mark-sold`);
    expect(await outputOf('follow-events')).toMatch(/^\d+: Bavaria 37 Cruiser, one owner was sold for 89000 EUR\n$/);
  });

  test("a webhook of the service's own is believed, anything else is not", async () => {
    const port = await freePort();
    const url = `http://127.0.0.1:${port}/`;
    const sender = await startApp({ env: { FETCH_ALLOW: `127.0.0.1:${port}` } });
    const owner = await sender.createUser();
    const { body: webhook } = await sender.as(owner).post('/api/webhooks', { url, events: ['listing.sold'] });
    const child = run('receive-webhooks', { PORT: String(port), WEBHOOK_SECRET: webhook.secret });
    await eventually(() => child.output().includes('listening'), { describe: child.output });
    const { body } = await sender.as(owner).post(`/api/webhooks/${webhook.id}/test`);
    expect(body).toMatchObject({ delivered: true, status_code: 204 });
    expect(child.output()).toContain('ping');
    expect((await fetch(url, { method: 'POST', body: '{}' })).status).toBe(400);
    await sender.close();
  });

  test.skipIf(oldNode === undefined)(
    'the command line and the client work on the oldest Node that it names',
    async () => {
      const env = { PATH: '/usr/bin:/bin', HOME: folder, QUAYSIDE_URL: app.url, QUAYSIDE_TOKEN: seller.token };
      const program = installed('dist/sdk/src/cli/main.js');
      const call = async (...args: string[]) => (await runProgram(oldNode ?? '', [program, ...args], { env })).stdout;
      expect(await call('--version')).toMatch(/^\d+\.\d+\.\d+\n$/);
      expect(JSON.parse(await call('search', '--json'))).toHaveProperty('pagination');
      await app.as(seller).post('/api/listings', {
        title: 'A boat for an old Node',
        description: 'A listing that makes an event for a program on an old Node.',
        category_id: 'sailboats',
        condition: 'good',
        price: { amount: 1, currency: 'EUR', negotiable: false },
        location: { country: 'DE', city: 'Kiel', shipping: false },
      });
      expect(JSON.parse(await call('tail', '--after', '0', '-n', '1', '--json'))).toHaveProperty('seq');
    },
  );
});
