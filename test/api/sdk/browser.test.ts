import { rmSync } from 'node:fs';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import express from 'express';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { closeApps, startApp, type TestApp } from '../../support/app.ts';
import { browserPath, openPage } from '../../support/browser.ts';
import { publishListing } from '../../support/public-pages.ts';
import { installSdk } from '../../support/sdk-package.ts';

const page = `<!doctype html><title>A page of another origin</title><script type="importmap">{"imports": {
  "quayside": "/node_modules/quayside/dist/sdk/src/index.js", "openapi-fetch": "/node_modules/openapi-fetch/dist/index.mjs"
}}</script>`;

describe.skipIf(!browserPath)('in a browser', () => {
  let app: TestApp;
  let folder: string;
  let site: ReturnType<ReturnType<typeof express>['listen']>;
  beforeAll(async () => {
    folder = installSdk();
    app = await startApp();
    await publishListing(app, await app.createUser(), { title: 'Bavaria 37 Cruiser' });
    const files = express();
    files.get('/', (_request, response) => void response.type('html').send(page));
    site = files.use(express.static(folder)).listen(0, '127.0.0.1');
    await once(site, 'listening');
  }, 120_000);
  afterAll(async () => {
    site.close();
    await closeApps();
    rmSync(folder, { recursive: true, force: true });
  });

  test('the built modules run as they are, without a bundler, on a page of another origin, which reads lists and errors', async () => {
    const url = `http://127.0.0.1:${(site.address() as AddressInfo).port}`;
    const open = await openPage({ url });
    try {
      await open.page.goto(url);
      const seen = await open.page.evaluate(`(async () => {
        const { createClient, paginate } = await import('quayside');
        const client = createClient({ baseUrl: ${JSON.stringify(app.url)} });
        const titles = [];
        for await (const { title } of paginate(client, '/api/listings')) titles.push(title);
        const { error } = await client.GET('/api/listings/{id}', { params: { path: { id: 'no-such-boat' } } });
        return { titles, code: error.code, requestId: error.requestId.length > 0 };
      })()`);
      expect(seen).toEqual({
        titles: ['Bavaria 37 Cruiser'],
        code: 'not_found',
        requestId: true,
      });
    } finally {
      await open.close();
    }
  });
});
