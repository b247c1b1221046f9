import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import { reservePort } from '../../shared/kit/reserve-port.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** The variable with which a Node process takes what others of this run have compiled. */
export const compileCache = { NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] ?? '' };

/**
 * A real process of the fleet, such as `workers/main.ts`, with only the variables given; ended with the test at the latest,
 * or by whoever `endLater` hands its end to.
 */
export function startProcess(
  script: string,
  env: Record<string, string>,
  endLater: (end: () => void) => void = onTestFinished,
  args: string[] = [],
) {
  const child = spawn(process.execPath, [script, ...args], {
    cwd: root,
    env: { PATH: '/usr/bin:/bin', LOG_LEVEL: 'warn', DEADLINE_FACTOR: '20', ...compileCache, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  endLater(() => void child.kill('SIGKILL'));
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const closed = once(child, 'close');
  return {
    pid: child.pid,
    output: () => output,
    /** Resolves when the process has ended, for whatever reason. */
    ended: closed.then(() => undefined),
    /** Sends a signal, and waits for nothing. */
    signal: (signal: NodeJS.Signals) => child.kill(signal),
    async kill(signal: NodeJS.Signals = 'SIGKILL'): Promise<number | null> {
      child.kill(signal);
      await closed;
      return child.exitCode;
    },
  };
}

/** A port that nobody listens on now. */
export const freePort = () => reservePort('127.0.0.1', 0, 0);
