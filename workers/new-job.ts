// npm run new:job NAME: a queue, its worker and its test, which pass the checks and wait for what the job is to do.
import { runScaffold, toCamelCase, writeScaffold } from '../shared/kit/scaffold.ts';

const queueOf = (name: string) => `  '${name}': {
    does: 'Looks up the status of one listing.',
    payload: listingId,
    worker: 'workers',
    policy: 'standard',
    retryLimit: 8,
    retryDelaySeconds: 2,
    retryDelayMaxSeconds: 600,
    heartbeatSeconds: 10,
    expireInSeconds: 60,
    notify: true,
    batchSize: 5,
    keepSeconds: DAY_SECONDS,
  },
`;

const workerOf = (name: string, handler: string) => `import type { JobHandler } from "../shared/queues/runner.ts";
import type { WorkerServices } from "./services.ts";

/** Looks up the status of one listing. Run again, it answers the same. */
export const ${handler}: JobHandler<WorkerServices, '${name}'> = async ({ pool }, { listing_id }) => {
  const { rows } = await pool.query<{ status: string }>('select status from listings where id = $1', [listing_id]);
  return { status: rows[0]?.status ?? 'gone' };
};
`;

const testOf = (name: string) => `import { afterAll, beforeAll, expect, test } from 'vitest';
import { startApp, type TestApp } from "../support/app.ts";
import { listingBody } from "../support/listing-bodies.ts";
import { startWorkers, type TestWorkers } from "../support/workers.ts";

let app: TestApp;
let workers: TestWorkers;
beforeAll(async () => {
  app = await startApp();
  workers = await startWorkers(app);
});
afterAll(async () => {
  await workers.close();
  await app.close();
});

const work = async (listing_id: string) => {
  await app.database.db.transaction().execute((tx) => app.services.jobs.enqueue(tx, '${name}', { listing_id }));
  return workers.work('${name}');
};

test('${name} tells the status of its listing, each time it runs', async () => {
  const { body } = await app.as(await app.createUser()).post('/api/listings', listingBody());
  for (let run = 0; run < 2; run += 1)
    expect(await work(body.id)).toMatchObject([{ status: 'completed', output: { status: 'draft' } }]);
});

test('${name} succeeds for a listing that is gone', async () => {
  expect(await work('lst_none')).toMatchObject([{ status: 'completed', output: { status: 'gone' } }]);
});
`;

runScaffold(() => {
  const [name = ''] = process.argv.slice(2);
  if (!/^[a-z]+(?:-[a-z0-9]+)+$/.test(name))
    throw new Error('usage: npm run new:job NAME   (verb and object in kebab-case: send-reminders)');
  const handler = toCamelCase(name);
  writeScaffold({ [`workers/${name}.ts`]: workerOf(name, handler), [`test/workers/${name}.test.ts`]: testOf(name) }, [
    { file: 'shared/queues/queues.ts', before: '});\n\nexport type QueueName', text: queueOf(name) },
    {
      file: 'workers/handlers.ts',
      before: '\nexport type WorkerHandlers',
      text: `import { ${handler} } from "./${name}.ts";\n`,
    },
    { file: 'workers/handlers.ts', before: '};\n\n/** The handlers', text: `  '${name}': ${handler},\n` },
  ]);
  console.log(`Next: what the job does, in workers/${name}.ts; its payload and its tries, in shared/queues/queues.ts.
Whoever needs it calls jobs.enqueue(tx, '${name}', payload) in the transaction of the change.
Test it: npm run test:of workers/${name}.ts`);
});
