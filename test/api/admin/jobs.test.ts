import { afterAll, beforeAll, expect, test } from 'vitest';
import { inTransaction } from '../../../db/client.ts';
import { startApp, type Client, type TestApp } from '../../support/app.ts';

let app: TestApp;
let admin: Client;
beforeAll(async () => {
  app = await startApp();
  admin = app.as(await app.createUser({ role: 'admin' }));
});
afterAll(async () => {
  await app.close();
});

const send = async () => {
  const id = await inTransaction(app.services.db, (tx) =>
    app.services.jobs.enqueue(tx, 'deliver-webhook', { delivery_id: 'whd_none' }),
  );
  if (!id) throw new Error('the job was not sent');
  return id;
};

test('a rolled back transaction leaves no job', async () => {
  const before = (await admin.get('/api/admin/jobs?queue=index-listing')).body.pagination.total;
  const failing = inTransaction(app.services.db, async (tx) => {
    await app.services.jobs.enqueue(tx, 'index-listing', { listing_ids: ['lst_x'] });
    throw new Error('changed my mind');
  });
  await expect(failing).rejects.toThrow('changed my mind');
  expect((await admin.get('/api/admin/jobs?queue=index-listing')).body.pagination.total).toBe(before);
});

test('a job is listed, read, cancelled once, and put back', async () => {
  const id = await send();
  expect(
    (await admin.get('/api/admin/jobs?queue=deliver-webhook&state=queued')).body.results.map(
      (job: { id: string }) => job.id,
    ),
  ).toContain(id);
  expect((await admin.get(`/api/admin/jobs/${id}`)).body).toMatchObject({
    id,
    queue: 'deliver-webhook',
    state: 'queued',
    error: null,
  });
  expect((await admin.post(`/api/admin/jobs/${id}/cancel`)).body.state).toBe('cancelled');
  expect((await admin.post(`/api/admin/jobs/${id}/cancel`)).status).toBe(409);
  expect((await admin.post(`/api/admin/jobs/${id}/retry`)).body.state).toBe('queued');
  expect((await admin.post(`/api/admin/jobs/${id}/retry`)).status).toBe(409);
});

test('404 for a job or a queue that does not exist', async () => {
  for (const id of ['nothing', '5f0c7a52-5a3e-4b5b-9a55-1f6c1f0f8f6e'])
    expect((await admin.get(`/api/admin/jobs/${id}`)).status).toBe(404);
  for (const verb of ['pause', 'resume', 'redrive'])
    expect((await admin.post(`/api/admin/queues/nothing/${verb}`)).status).toBe(404);
});

test('pause and resume show in the queues, and stay as they are when repeated', async () => {
  const paused = async () =>
    (await admin.get('/api/admin/queues')).body.results.find((queue: { name: string }) => queue.name === 'send-email')
      .paused;
  expect(await paused()).toBe(false);
  for (let i = 0; i < 2; i += 1)
    expect((await admin.post('/api/admin/queues/send-email/pause')).body).toMatchObject({ paused: true });
  expect(await paused()).toBe(true);
  for (let i = 0; i < 2; i += 1)
    expect((await admin.post('/api/admin/queues/send-email/resume')).body).toMatchObject({ paused: false });
});

test('redrive moves dead letters back into their queue', async () => {
  await app.services.jobs.boss.send('send-email.dead', { message_id: 'm', template: 't', user_id: 'u', data: {} });
  expect((await admin.post('/api/admin/queues/send-email/redrive')).body).toEqual({ name: 'send-email', redriven: 1 });
  expect((await admin.get('/api/admin/jobs?queue=send-email&state=queued')).body.pagination.total).toBe(1);
});

test('stats and health have every part; nobody but an admin session reads them', async () => {
  expect((await admin.get('/api/admin/stats')).body.queues.length).toBeGreaterThan(5);
  expect((await admin.get('/api/admin/health')).body).toMatchObject({
    status: 'healthy',
    database: { connected: true },
  });
  const adminUser = await app.createUser({ role: 'admin' });
  const { key } = (await app.as(adminUser).post('/api/api-keys', { name: 'x', permissions: 'admin' })).body;
  for (const path of ['stats', 'health', 'jobs', 'queues']) {
    expect((await app.as().get(`/api/admin/${path}`)).status).toBe(401);
    expect((await app.as(await app.createUser()).get(`/api/admin/${path}`)).status).toBe(403);
    expect((await app.as(key).get(`/api/admin/${path}`)).status).toBe(403);
  }
});
