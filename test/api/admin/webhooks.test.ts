import { afterAll, beforeAll, expect, test } from 'vitest';
import { startApp, type Client, type TestApp, type TestUser } from '../../support/app.ts';
import { createDeliveryOf, createWebhookOf } from '../../support/recipes/webhooks.ts';

let app: TestApp;
let admin: Client;
let owner: TestUser;
let id: string;
beforeAll(async () => {
  app = await startApp();
  admin = app.as(await app.createUser({ role: 'admin' }));
  owner = await app.createUser({ name: 'Hanna Hook', email: 'hanna@hooks.example' });
  await createWebhookOf(app.services, owner);
  id = await createWebhookOf(app.services, owner);
});
afterAll(() => app.close());

test('those that fail come first, say why, are found by their owner, and tell no secret', async () => {
  const delivery = await createDeliveryOf(app.services, id);
  await app.database.pool.query(
    `update webhook_deliveries set payload = payload || '{"data": {"email": "anna.petersen@example.com", "token": "t0ken"}}' where id = $1`,
    [delivery],
  );
  await app.database.pool.query(`update webhooks set failing_since = now() - interval '25 minutes' where id = $1`, [
    id,
  ]);
  const { body, text } = await admin.get('/api/admin/webhooks?q=hanna@');
  expect(body.results).toMatchObject([
    {
      id,
      owner: { email: 'hanna@hooks.example' },
      last_error: 'The server answered 500.',
      last_status_code: 500,
      failed_24h: 1,
    },
    { failing_since: null },
  ]);
  expect(text).not.toContain('whsec_');
  expect((await admin.get('/api/admin/webhooks?state=failing')).body.pagination.total).toBe(1);
  const log = await admin.get(`/api/admin/webhooks/${id}/deliveries`);
  expect(log.body.results).toMatchObject([{ id: delivery, status: 'failed' }]);
  expect(log.text).not.toMatch(/t0ken|anna\.petersen/);

  const again = await admin.post(`/api/admin/webhooks/${id}/deliveries/${delivery}/retry`);
  expect({ status: again.status, is: again.body.status }).toEqual({ status: 202, is: 'pending' });
  expect((await admin.patch(`/api/admin/webhooks/${id}`, { active: false })).body).toMatchObject({
    active: false,
    pending: 0,
  });
  expect((await admin.post(`/api/admin/webhooks/${id}/deliveries/${delivery}/retry`)).status).toBe(409);
  expect((await admin.patch(`/api/admin/webhooks/${id}`, { active: true })).body).toMatchObject({
    active: true,
    failing_since: null,
  });
  expect((await admin.get('/api/admin/webhooks/whk_none')).status).toBe(404);
});

test('the health of the service names a webhook that has failed for 25 minutes, and what to do', async () => {
  await app.database.pool.query(`update webhooks set failing_since = now() - interval '25 minutes' where id = $1`, [
    id,
  ]);
  const { status, problems } = (await admin.get('/api/admin/health-detailed')).body;
  expect(status).toBe('degraded');
  expect(problems).toContainEqual(
    expect.stringMatching(
      /^The webhook of Hanna Hook to 127\.0\.0\.1:9 has failed for 25 minutes: The server answered 500\. .*pause it/,
    ),
  );
});
