import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { reservePort } from '../../shared/kit/reserve-port.ts';

/** A demo that runs, with the address of the listing that it recommends. */
export type DemoFleet = { url: string; listing: string; stop(): Promise<void> };

/** What signs in to every demo. */
export const DEMO_SELLER = { email: 'seller1@demo.example', password: 'quayside demo' };

/** Starts `npm run demo` in a folder of its own, without rate limits, and waits until it is complete. */
export async function startDemo(env: Readonly<Record<string, string>> = {}): Promise<DemoFleet> {
  const dataDir = mkdtempSync(join(tmpdir(), 'quayside-demo-'));
  const port = await reservePort('127.0.0.1', 0, 0);
  const fleet = spawn(process.execPath, ['shared/boot/launch.js', 'shared/boot/start.ts', '--demo'], {
    cwd: new URL('../..', import.meta.url),
    env: { ...process.env, PORT: String(port), DATA_DIR: dataDir, RATE_LIMIT_MULTIPLIER: '0', ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(fleet, 'exit');
  const stop = async () => {
    fleet.kill('SIGTERM');
    await ended;
    rmSync(dataDir, { recursive: true, force: true });
  };
  let printed = '';
  for await (const chunk of fleet.stdout.iterator({ destroyOnReturn: false })) {
    process.stdout.write(chunk as Buffer);
    printed += String(chunk);
    const [, listing] = /Listing +(http\S+)[\s\S]*Docs/.exec(printed.split('To look at').at(1) ?? '') ?? [];
    if (listing === undefined) continue;
    fleet.stdout.resume();
    return { url: `http://localhost:${port}`, listing, stop };
  }
  await stop();
  throw new Error('the demo ended before it was complete');
}
