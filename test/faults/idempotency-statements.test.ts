import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readContract } from '../../api/http/contract.ts';
import type { OperationId } from '../../api/http/contract.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { startFaultProxy, type FaultProxy } from '../support/fault-proxy.ts';
import { sample } from '../support/lane.ts';
import { createWorld, readyRequest, type World } from '../support/openapi-cases-world.ts';
import { createSender, readCases, toWire, type Reply, type Send, type Wire } from '../support/openapi-cases.ts';
import { createResponseChecker } from '../support/response-check.ts';
import { readTables, rowsAdded } from '../support/table-state.ts';

/** One of each kind: rows alone, with mail, locks, a quota, files, a provider, secrets, schedules, and many at once. */
const chosen = new Set<OperationId>([
  'sendMessage',
  'createListing',
  'markListingSold',
  'createBooking',
  'createPremiumCheckout',
  'createWebhook',
  'createScraper',
  'uploadImage',
  'publishBulk',
]);
const cases = readCases(readContract()).filter(({ id }) => chosen.has(id));

let app: TestApp;
let world: World;
let proxy: FaultProxy;
/** Another API process on the same database, whose connections break where a test says. */
let faulty: TestApp;
let send: Send;
beforeAll(async () => {
  app = await startApp();
  world = await createWorld(app.services);
  proxy = await startFaultProxy(app.database.url);
  faulty = await startApp({ database: { ...app.database, url: proxy.url } });
  send = createSender(faulty.url, createResponseChecker(app.services.contract));
});
afterAll(async () => {
  await faulty.close();
  await proxy.close();
  await app.close();
});

/** Sends again what had no answer, as a client does; a first try whose end the database has not seen yet is waited for. */
async function sendUntilAnswered(wire: Wire): Promise<Reply> {
  for (;;) {
    const reply = await send(wire);
    if (reply.status === 503 || reply.text.includes('is still under way')) continue;
    return reply;
  }
}

test.each(cases.map((each) => [each.id, each] as const))(
  '%s: whichever statement the connection is lost at, a repetition has one effect and one answer',
  async (_id, each) => {
    /** Has it lose its connection at a statement, sends it until it is answered, and tells what it has added. */
    const loseAt = async (nth: number) => {
      const wire = toWire(each, { ...(await readyRequest(world, each)), headers: { 'Idempotency-Key': randomUUID() } });
      const before = await readTables(app.database.pool);
      proxy.arm(nth);
      const first = await send(wire);
      const { statements } = proxy.disarm();
      if (first.status >= 300) expect(first.status, first.text).toBe(503);
      const answer = await sendUntilAnswered(wire);
      expect(answer.status, answer.text).toBeLessThan(300);
      const after = await readTables(app.database.pool);
      if (first.status < 300) expect(answer.text).toBe(first.text);
      return { statements, added: rowsAdded(before, after) };
    };
    const undisturbed = await loseAt(0);
    const statements = Array.from({ length: undisturbed.statements }, (_, index) => index + 1);
    for (const nth of sample(statements, 4, cases.indexOf(each)))
      expect((await loseAt(nth)).added, `lost at statement ${nth}`).toEqual(undisturbed.added);
  },
);
