import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { draftListing } from '../../../workers/draft-listing.ts';
import type { TestApp, TestUser } from '../../support/app.ts';
import { draftAnswer, DRAFTS_PATH, startDrafting, type Drafting } from '../../support/drafting.ts';
import type { TestWorkers } from '../../support/workers.ts';

let drafting: Drafting;
let app: TestApp;
let workers: TestWorkers;
let url: string;
let user: TestUser;
beforeAll(async () => {
  drafting = await startDrafting();
  ({ app, workers, url } = drafting);
});
afterAll(() => drafting.close());
beforeEach(async () => {
  drafting.useStub();
  user = await app.createUser();
});

describe('asynchronously', () => {
  test('202 with the job, whose draft its owner alone reads', async () => {
    const { status, headers, body } = await app
      .as(user)
      .post(DRAFTS_PATH, { images: [url] }, { headers: { Prefer: 'respond-async' } });
    expect(status).toBe(202);
    expect(headers.get('location')).toBe(`${app.url}/api/me/ai-drafts/${body.job_id}`);
    const read = async (by: TestUser) => app.as(by).get(`/api/me/ai-drafts/${body.job_id}`);
    expect((await read(user)).body).toMatchObject({ status: 'pending', result: null, error: null, finished_at: null });
    await workers.work('draft-listing');
    expect((await read(user)).body).toMatchObject({
      status: 'completed',
      mode: 'stub',
      result: { title: expect.any(String) },
    });
    expect((await read(await app.createUser())).status).toBe(404);
    expect((await read(await app.createUser({ role: 'admin' }))).status).toBe(404);
  });

  test('a failure is told with its code', async () => {
    const images = [`${drafting.site.url}/page.jpg`];
    const { body } = await app.as(user).post(DRAFTS_PATH, { images }, { headers: { Prefer: 'respond-async' } });
    await workers.work('draft-listing');
    const { body: draft } = await app.as(user).get(`/api/me/ai-drafts/${body.job_id}`);
    expect(draft).toMatchObject({
      status: 'failed',
      error: { code: 'validation_error', errors: [{ path: '/body/images/0' }] },
    });
  });
});

describe('waiting', () => {
  test('a caller who waits no longer is told 503; the job is cancelled and the quota given back', async () => {
    const { status } = await app.as(user).post(DRAFTS_PATH, { images: [url] }, { headers: { Prefer: 'wait=0' } });
    expect(status).toBe(503);
    expect(await drafting.uses(user)).toBe(0);
    expect(await workers.work('draft-listing')).toEqual([]);
  });

  test('a stopping worker leaves the draft to the next one', async () => {
    drafting.useProvider('hangs');
    const { body } = await app.as(user).post(DRAFTS_PATH, { images: [url] }, { headers: { Prefer: 'respond-async' } });
    const [result] = await workers.work('draft-listing', (services, payload, context) =>
      draftListing(services, payload, { ...context, signal: AbortSignal.timeout(200) }),
    );
    expect(result?.status).toBe('failed');
    expect((await app.as(user).get(`/api/me/ai-drafts/${body.job_id}`)).body.status).toBe('pending');
    expect(await drafting.uses(user)).toBe(1);
    await app.database.pool.query(`update pgboss.job set start_after = now() where id = $1`, [body.job_id]);
    drafting.useProvider({ json: draftAnswer });
    await workers.work('draft-listing');
    expect((await app.as(user).get(`/api/me/ai-drafts/${body.job_id}`)).body.status).toBe('completed');
  });
});
