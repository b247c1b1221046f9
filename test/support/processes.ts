import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));
/** A real process of the fleet, such as `workers/main.ts`, with only the variables given; ended with the test at the latest. */
export function startProcess(script: string, env: Record<string, string>) {
  const child = spawn(process.execPath, [script], {
    cwd: root,
    env: { PATH: '/usr/bin:/bin', LOG_LEVEL: 'warn', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const closed = once(child, 'close');
  return {
    output: () => output,
    async kill(signal: NodeJS.Signals = 'SIGKILL'): Promise<number | null> {
      child.kill(signal);
      await closed;
      return child.exitCode;
    },
  };
}

/** Asks again every 50 ms until the answer is true; throws after `timeoutMs`, with what `describe` tells. */
export async function eventually(
  ask: () => Promise<boolean>,
  { timeoutMs, describe = () => '' }: { timeoutMs: number; describe?: () => string },
): Promise<number> {
  const startedAt = performance.now();
  while (!(await ask())) {
    if (performance.now() - startedAt > timeoutMs) throw new Error(`not within ${timeoutMs} ms. ${describe()}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return performance.now() - startedAt;
}
