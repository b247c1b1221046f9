import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createApp } from '../../api/app.ts';
import { createHttpServer } from '../../api/http/server.ts';
import { createServices, type Services } from '../../api/services.ts';
import { startEmbedded } from '../../db/embedded.ts';
import { readConfig } from '../../shared/kit/config.ts';
import { createLogger } from '../../shared/kit/log.ts';
import { prepareDatabase } from '../../shared/boot/prepare.ts';
import { fuzzOperation, type FuzzReport } from '../support/openapi-cases-fuzz.ts';

/**
 * Sends `n` generated requests to every operation whose id starts with `prefix` and prints the statuses they were
 * answered with; an operation that fails is printed with its smallest request. True when none did. The
 * marketplace is that of MARKETPLACE_FILE or MARKETPLACE_PROFILE.
 */
export async function benchFuzz({ n: runs = 2_000, seed = Date.now() % 2 ** 31, prefix = '' } = {}): Promise<boolean> {
  console.log(`${runs} requests per operation, seed ${seed}`);
  const dataDir = mkdtempSync(join(tmpdir(), 'quayside-fuzz-'));
  const database = await startEmbedded({ dataDir, fast: true });
  try {
    const { url, services, stop } = await startService(database.url, dataDir);
    const failures: string[] = [];
    for (const { id } of services.contract.operations.filter((operation) => operation.id.startsWith(prefix))) {
      try {
        console.log(describe(await fuzzOperation({ url, services }, id, { runs, seed })));
      } catch (error) {
        failures.push(id);
        console.error(`${id} FAILED`, error);
      }
    }
    await stop();
    console.log(
      failures.length === 0 ? 'No faults.' : `Faults in ${failures.join(', ')}; again with the seed ${seed}.`,
    );
    return failures.length === 0;
  } finally {
    await database.stop();
    rmSync(dataDir, { recursive: true, force: true });
  }
}

async function startService(
  databaseUrl: string,
  dataDir: string,
): Promise<{ url: string; services: Services; stop(): Promise<void> }> {
  const config = readConfig({
    NODE_ENV: 'test',
    MARKETPLACE_PROFILE: process.env['MARKETPLACE_PROFILE'],
    MARKETPLACE_FILE: process.env['MARKETPLACE_FILE'],
    DATABASE_URL: databaseUrl,
    DATA_DIR: dataDir,
    JWT_SECRET: 'a secret of this bench alone',
    STRIPE_WEBHOOK_SECRET: 'whsec_of_this_bench_alone',
    RATE_LIMIT_MULTIPLIER: '0',
    LOG_LEVEL: 'error',
  });
  await prepareDatabase(databaseUrl, config);
  const { services, stop } = await createServices(
    { ...config, databaseUrl, directDatabaseUrl: databaseUrl, jwtSecrets: config.jwtSecrets ?? [] },
    createLogger('fuzz', config.logLevel),
  );
  const { server } = createHttpServer(createApp(services));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    services,
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await stop();
    },
  };
}

function describe({ operation, runs, statuses }: FuzzReport): string {
  const counts = Object.entries(statuses).map(([status, n]) => `${status}: ${n}`);
  return `${operation.padEnd(26)} ${String(runs).padStart(6)}   ${counts.join('  ')}`;
}

if (import.meta.main) {
  const [runs, seed, prefix] = process.argv.slice(2);
  const fine = await benchFuzz({
    ...(runs && { n: Number(runs) }),
    ...(seed && { seed: Number(seed) }),
    ...(prefix && { prefix }),
  });
  process.exitCode = fine ? 0 : 1;
}
