import { readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openShell } from '../../../shared/boot/walkthrough.ts';
import { closeApps, startApp, type TestApp } from '../../support/app.ts';
import { publishListing, readPage } from '../../support/public-pages.ts';

const folder = fileURLToPath(new URL('../../../api/docs/guides/', import.meta.url));
const guides = readdirSync(folder).map((name) => ({
  slug: name.replace('.md', ''),
  text: readFileSync(join(folder, name), 'utf8'),
}));
const ADMIN_EMAIL = 'ops@example.com';
const ADMIN_PASSWORD = 'the-guides-administrator';

const receiver = createServer((_request, response) => response.writeHead(204).end());
let app: TestApp;
beforeAll(async () => {
  receiver.listen(0, '127.0.0.1');
  app = await startApp({ env: { FETCH_ALLOW: '127.0.0.1', PROXY_BASE_URL: 'https://proxy.example/boats' } });
  await app.as().post('/api/auth/register', { email: ADMIN_EMAIL, password: ADMIN_PASSWORD, name: 'Ops' });
  await app.database.pool.query(`update users set role = 'admin' where email = $1`, [ADMIN_EMAIL]);
  await publishListing(app, await app.createUser());
});
afterAll(async () => {
  receiver.close();
  await closeApps();
});

describe.each(guides)('the guide $slug', ({ slug, text }) => {
  const blocks = [...text.matchAll(/^```sh\n([^]*?)^```$/gm)].map(([, block = '']) => block);

  test.skipIf(blocks.length === 0)(
    'has commands that do what they say, one after the other',
    { timeout: 120_000 },
    async () => {
      const { port } = receiver.address() as AddressInfo;
      const shell = openShell({
        PATH: process.env.PATH,
        HOME: app.dataDir,
        API: app.url,
        BOARD: `http://127.0.0.1:${port}`,
        RECEIVER: `http://127.0.0.1:${port}/hook`,
        ADMIN_EMAIL,
        ADMIN_PASSWORD,
      });
      try {
        for (const block of blocks) {
          // A block has failed when any command of it has, not only the last.
          const { output, failed } = await shell.run(`BAD=; trap BAD=1 ERR\n${block.trim()}\ntest -z "$BAD"`);
          expect(failed, `${block}\n${output}`).toBe(false);
        }
        const { output } = await shell.run(
          'set | grep -E "^(TOKEN|KEY|ID|ADMIN|AFTER|SECRET|IMAGE|SCRAPER)=$" || true',
        );
        expect(output, 'a variable that stayed empty').toBe('');
      } finally {
        await shell.close();
      }
    },
  );

  test('is a page for people and Markdown for agents, with links that lead somewhere', async () => {
    const page = await readPage(app, `/api/docs/guides/${slug}`);
    expect(page('h1').text()).toBe(/^# (.+)$/m.exec(text)?.[1]);
    expect(page('aside a[aria-current]').attr('href')).toBe(`../guides/${slug}`);
    for (const link of page('article a, aside a, .docs-bar a').toArray()) {
      const { href = '' } = link.attribs;
      const address = new URL(href, `${app.url}/api/docs/guides/${slug}`);
      if (address.origin !== app.url) continue;
      const [, tag, operation] = /^#tag\/([\w-]+)\/(\w+)$/.exec(address.hash) ?? [];
      if (operation) expect(app.services.contract.operations.find(({ id }) => id === operation)?.tag, href).toBe(tag);
      else if (address.hash !== '') {
        const target = await readPage(app, address.pathname);
        expect(target(`[id="${address.hash.slice(1)}"]`).length, href).toBe(1);
      }
      expect((await fetch(address)).status, href).toBe(200);
    }
    const markdown = await fetch(`${app.url}/api/docs/guides/${slug}.md`);
    expect(markdown.headers.get('content-type')).toBe('text/markdown; charset=utf-8');
    const told = await markdown.text();
    expect(told).not.toMatch(/localhost:3000(?!})/);
    for (const [, address = ''] of told.matchAll(/\]\((http[^)]*\/api\/reference\/[^)]*)\)/g))
      expect((await fetch(address)).status, address).toBe(200);
  });
});

test('every error code has a section of its own, with its status', () => {
  const { schemas } = app.services.contract.document.components as { schemas: { ErrorCode: { enum: string[] } } };
  const { text } = guides.find(({ slug }) => slug === 'errors')!;
  const sections = [...text.matchAll(/^## `(\w+)`\n\n(\d{3})\. /gm)].map(([, code = '']) => code);
  expect(sections.toSorted()).toEqual(schemas.ErrorCode.enum.toSorted());
});

test('the events page has every type of the contract, with its fields and an example of its type', async () => {
  const text = await (await fetch(`${app.url}/api/docs/guides/events.md`)).text();
  const types = Object.keys(app.services.contract.document.webhooks as object);
  expect([...text.matchAll(/^## `([\w.]+)`$/gm)].map(([, type]) => type)).toEqual(types);
  const examples = [...text.matchAll(/^```json\n([^]*?)^```$/gm)].map(
    ([, json = '']) => JSON.parse(json) as { type: string; data?: object },
  );
  expect(examples.map(({ type }) => type)).toEqual(types);
  for (const { type, data } of examples)
    if (type !== 'ping') expect(Object.keys(data ?? {}).length, type).toBeGreaterThan(2);
});

test('the changelog and the versioning policy are pages', async () => {
  expect((await readPage(app, '/api/docs/guides/changelog'))('h1').text()).toBe('Changelog');
  const policy = await readPage(app, '/api/docs/guides/versioning');
  expect(policy('a[href="changelog"]').length).toBeGreaterThan(0);
});

test('behind a proxy prefix the guides name the addresses of that way', async () => {
  const text = await (await fetch(`${app.url}/boats/api/docs/guides/get-started.md`)).text();
  expect(text).toContain('API=${API:-https://proxy.example/boats}');
  const page = await (await fetch(`${app.url}/boats/api/docs/guides/get-started`)).text();
  expect(page).toContain('href="https://proxy.example/boats/api/docs"');
});

test('what leads to the documentation names the guides', async () => {
  for (const path of ['/llms.txt', '/.well-known/api-catalog', '/.well-known/ai.json'])
    expect((await app.as().get(path)).text, path).toContain(`${app.url}/api/docs/guides`);
  expect((await fetch(`${app.url}/api/docs/guides/no-such-guide`)).status).toBe(404);
});
