import './require-node.js';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { styleText } from 'node:util';
import { inheritedEnvironment } from '../kit/config.ts';
import { loadSecrets } from '../kit/secrets.ts';
import { reservePort } from '../kit/reserve-port.ts';
import { harbourBoardPort } from './demo.ts';
import { openShell, readSteps, toReadable } from './walkthrough.ts';

// npm run walkthrough: the commands of the README, run as they stand there, on a marketplace of their own or on the one at API.
const START_WAIT_MS = 120_000;
const root = new URL('../../', import.meta.url);
const given = inheritedEnvironment({});
const own = given.API ? undefined : await startMarketplace();
process.exitCode = 1;
try {
  const api = given.API ?? own!.api;
  const board = given.BOARD ?? `http://127.0.0.1:${harbourBoardPort(Number(new URL(api).port || 80))}`;
  process.exitCode = (await walk({ ...given, ...own?.environment, API: api, BOARD: board })) ? 0 : 1;
} finally {
  await own?.stop();
}

/** True when every step did what it should; the first that did not is the last. */
async function walk(environment: Record<string, string | undefined>): Promise<boolean> {
  const shell = openShell(environment);
  const stream = process.stdout;
  let heading = '';
  try {
    for (const step of readSteps(readFileSync(new URL('README.md', root), 'utf8'))) {
      if (step.heading !== heading) {
        heading = step.heading;
        console.log(`\n${styleText(['bold', 'underline'], heading, { stream })}`);
      }
      console.log(`\n${styleText('cyan', `$ ${step.command.replaceAll('\n', '\n  ')}`, { stream })}`);
      const { output, failed } = await shell.run(step.command);
      if (output !== '') console.log(toReadable(output));
      if (failed) {
        console.log(styleText('red', '\nThat was not to be expected: the walkthrough ends here.', { stream }));
        return false;
      }
    }
    console.log(styleText('green', '\nEvery step did what the README says.', { stream }));
    return true;
  } finally {
    await shell.close();
  }
}

/** A fleet with the harbour board on free ports, and its data in a folder that goes with it. */
async function startMarketplace() {
  const dataDir = mkdtempSync(join(tmpdir(), 'quayside-walkthrough-'));
  const port = await reservePort('127.0.0.1', 0, 0);
  const environment = { ...given, PORT: String(port), DATA_DIR: dataDir, LOG_LEVEL: 'error' };
  const program = ['shared/boot/launch.js', 'shared/boot/start.ts', '--harbour-board'];
  const fleet = spawn(process.execPath, program, { cwd: root, env: environment, stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = once(fleet, 'exit');
  const stop = async () => {
    fleet.kill('SIGTERM');
    await ended;
    rmSync(dataDir, { recursive: true, force: true });
  };
  console.log(`Starting a marketplace in ${dataDir} …`);
  const ready = Promise.race([
    told(fleet.stdout, 'is ready in'),
    ended.then(() => false),
    sleep(START_WAIT_MS, false, { ref: false }),
  ]);
  if (!(await ready)) {
    await stop();
    throw new Error('the marketplace did not start');
  }
  const { admin } = loadSecrets(dataDir);
  const login = { ADMIN_EMAIL: admin.email, ADMIN_PASSWORD: admin.password };
  return {
    api: `http://127.0.0.1:${port}`,
    environment: { ...login, DATA_DIR: dataDir, RATE_LIMIT_MULTIPLIER: '' },
    stop,
  };
}

/** True once a text has been printed; what follows is read and dropped. */
function told(output: NodeJS.ReadableStream, text: string): Promise<boolean> {
  return new Promise((resolve) => {
    let seen = '';
    output.on('data', (chunk: Buffer) => {
      seen = (seen + chunk.toString()).slice(-2_000);
      if (seen.includes(text)) resolve(true);
    });
    output.on('end', () => resolve(false));
  });
}
