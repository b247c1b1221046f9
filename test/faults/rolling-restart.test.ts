import { request, Agent } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { cloneDatabase } from '../support/database.ts';
import { makeTestFolder } from '../support/folders.ts';
import { times } from '../support/lane.ts';
import { freePort, startProcess } from '../support/processes.ts';
import { eventually } from '../support/waiting.ts';

const CLIENTS = 10;
const RESTARTS = times(2, 8);

test('two API processes restarted in turn under keep-alive load fail no request', async () => {
  const database = await cloneDatabase();
  const dataDir = makeTestFolder();
  const ports = [await freePort(), await freePort()];
  const start = async (port: number) => {
    const child = startProcess('api/main.ts', {
      DATABASE_URL: database.url,
      DATA_DIR: dataDir,
      JWT_SECRET: 'a secret of the tests alone',
      PORT: String(port),
      RATE_LIMIT_MULTIPLIER: '0',
    });
    await eventually(async () => (await get(port, '/health', new Agent()).catch(() => 0)) === 200, {
      describe: child.output,
    });
    return child;
  };
  const processes = [await start(ports[0]!), await start(ports[1]!)];
  const balancer = { up: [true, true] };
  const failures: string[] = [];
  let answered = 0;
  let running = true;

  // A load balancer's view: a process that is told to stop leaves the pool, its open connections finish what they carry.
  const client = async (agent: Agent, turn: number) => {
    for (let i = turn; running; i += 1) {
      const choice = balancer.up[i % 2] ? i % 2 : (i + 1) % 2;
      try {
        const status = await get(ports[choice]!, '/api/categories', agent);
        if (status === 200) answered += 1;
        else failures.push(`status ${status}`);
      } catch (error) {
        failures.push(String(error));
      }
      // Leaves the processes that start some of the processor.
      await sleep(5);
    }
  };
  const clients = Array.from({ length: CLIENTS }, (_, turn) =>
    client(new Agent({ keepAlive: true, maxSockets: 2 }), turn),
  );
  for (let restart = 0; restart < RESTARTS; restart += 1) {
    const index = restart % 2;
    balancer.up[index] = false;
    expect(await processes[index]!.kill('SIGTERM')).toBe(0);
    processes[index] = await start(ports[index]!);
    balancer.up[index] = true;
  }
  running = false;
  await Promise.all(clients);
  for (const child of processes) await child.kill('SIGTERM');
  expect(failures).toEqual([]);
  expect(answered).toBeGreaterThan(500);
});

function get(port: number, path: string, agent: Agent): Promise<number> {
  return new Promise((resolve, reject) => {
    const call = request({ host: '127.0.0.1', port, path, agent }, (response) => {
      response.resume();
      response.on('end', () => resolve(response.statusCode ?? 0));
      response.on('error', reject);
    });
    call.on('error', reject);
    call.end();
  });
}
