import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readContract } from '../../../api/http/contract.ts';
import { queueNames } from '../../../shared/queues/queues.ts';
import { startApp, type TestApp, type TestUser } from '../../support/app.ts';
import { browserPath } from '../../support/browser.ts';
import { openConsole, type ConsolePage } from '../../support/console-page.ts';
import { readCases } from '../../support/openapi-cases.ts';

type Entry = { subject: string | null; data: Record<string, unknown> };
const moduleOf = (name: string) => new URL(`../../../api/admin/console/page/${name}`, import.meta.url).href;
const { actNames, tellSent } = (await import(moduleOf('audit-words.js'))) as {
  actNames: Record<string, string>;
  tellSent: (entry: Entry) => string;
};
const { nameQueue } = (await import(moduleOf('queue-words.js'))) as { nameQueue: (name: string) => string };

test('every act that is entered has words of its own', () => {
  const acts = readCases(readContract()).filter(({ operation }) => operation.audited && operation.leastRole);
  expect(acts.map(({ id }) => id).filter((id) => !Object.hasOwn(actNames, id))).toEqual([]);
});

test('every queue has words of its own', () => {
  expect(queueNames.filter((name) => nameQueue(name) === name)).toEqual([]);
});

test('what was sent with an act is told by name, without what it was done to, and a reason by itself', () => {
  const subject = 'lst_1';
  expect(tellSent({ subject, data: { body: { reason: 'Spam.' } } })).toBe('Spam.');
  expect(tellSent({ subject, data: { subjectId: subject } })).toBe('');
  const body = { action: 'hide', facts: 'It is another boat.', note: null, canonical_id: subject, ids: ['a', 'b'] };
  expect(tellSent({ subject, data: { body } })).toBe('action: hide; facts: It is another boat.; ids: a, b');
  expect(tellSent({ subject, data: { query: { days: 3 }, body: { ids: ['a', 'b', 'c', 'd'] } } })).toBe(
    'days: 3; ids: 4 of them',
  );
});

describe.skipIf(browserPath === undefined)('the page Audit in a browser', () => {
  let app: TestApp;
  let admin: TestUser;
  let open: ConsolePage;
  beforeAll(async () => {
    app = await startApp();
    admin = await app.createUser({ role: 'admin', name: 'Ada' });
    open = await openConsole(app, admin);
  });
  afterAll(async () => {
    await open?.close();
    await app?.close();
  });

  test('what somebody did is found by who and what, and saved as CSV', async () => {
    const { page } = open;
    const other = await app.createUser({ role: 'admin', name: 'Grace' });
    const [one, two] = [await app.createUser(), await app.createUser()];
    await app.as(admin).post(`/api/admin/users/${one.id}/suspend`, { reason: 'Boats that do not exist.' });
    await app.as(other).post(`/api/admin/users/${two.id}/suspend`, { reason: 'Photos of others.' });
    await app.as(other).post(`/api/admin/users/${two.id}/unsuspend`);
    await open.visit('#/audit');
    const rows = page.getByRole('table', { name: 'Audit log' }).getByRole('row');
    await page.getByRole('combobox', { name: /^What/ }).selectOption('suspended');
    await expect.poll(() => rows.count()).toBe(3);
    await page.getByRole('combobox', { name: /^By/ }).selectOption('Grace');
    await expect.poll(() => rows.count()).toBe(2);
    await page.getByRole('table').getByText('Photos of others.').waitFor();
    const saving = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Export' }).click();
    const file = await saving;
    expect(file.suggestedFilename()).toBe('audit.csv');
    const lines = readFileSync(await file.path(), 'utf8')
      .trim()
      .split('\r\n');
    expect([lines[0], lines.length]).toEqual(['id,created_at,actor,action,subject,data', 2]);
    expect(lines[1]).toContain(`${other.id},suspendUser,${two.id}`);
    expect(open.problems).toEqual([]);
  });
});
