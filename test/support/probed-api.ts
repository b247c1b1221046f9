import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import type { TestApp } from './app.ts';
import { databaseSettings } from './database.ts';
import { compileCache, freePort } from './processes.ts';
import { eventually } from './waiting.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** A real API process on the database of a test app, which tells how long its event loop was held. */
export async function startProbedApi(
  app: TestApp,
  env: Record<string, string> = {},
  endLater: (end: () => void) => void = onTestFinished,
) {
  const port = await freePort();
  const child = spawn(process.execPath, ['--import', './test/contract/fixtures/loop-probe.ts', 'api/main.ts'], {
    cwd: root,
    env: {
      PATH: '/usr/bin:/bin',
      LOG_LEVEL: 'error',
      ...compileCache,
      PORT: String(port),
      ...databaseSettings(app.database.url),
      DATA_DIR: app.dataDir,
      JWT_SECRET: app.services.config.jwtSecrets.join(','),
      STRIPE_WEBHOOK_SECRET: 'whsec_of_the_tests_alone',
      RATE_LIMIT_MULTIPLIER: '0',
      MARKETPLACE_PROFILE: app.services.profile.name,
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  endLater(() => void child.kill('SIGKILL'));
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const url = `http://127.0.0.1:${port}`;
  await eventually(async () => (await fetch(`${url}/health`).catch(() => undefined))?.status === 200, {
    describe: () => output,
  });
  return {
    url,
    output: () => output,
    /** Milliseconds of the processor that the longest turn of the loop took since this was last asked. */
    async longestTurnMs(): Promise<number> {
      const told = once(child, 'message') as Promise<[{ longestMs: number }]>;
      child.send('longest turn');
      const [{ longestMs }] = await told;
      return longestMs;
    },
  };
}

export type ProbedApi = Awaited<ReturnType<typeof startProbedApi>>;
