import { spawn } from 'node:child_process';
import { openSync, closeSync } from 'node:fs';
import { once } from 'node:events';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { scaled } from '../support/machine.ts';

const script = join(import.meta.dirname, 'fixtures/logger.ts');

/** Runs the script, closes what it logs to, lets it log on, and answers its exit code, or the signal after 10 s. */
async function exitWithoutReader(mode: string): Promise<number | string> {
  const child = spawn(process.execPath, [script, mode], { stdio: 'pipe' });
  await once(child.stderr, 'data');
  child.stdout.destroy();
  child.stdin.write('go\n');
  const deadline = setTimeout(() => child.kill('SIGKILL'), scaled(10_000));
  const [code, signal] = (await once(child, 'exit')) as [number | null, string | null];
  clearTimeout(deadline);
  return code ?? signal ?? '';
}

test.for(['exit', 'fatal', 'live'])('a process whose log nobody reads any more ends (%s)', async (mode) => {
  expect(await exitWithoutReader(mode)).toBe(7);
});

test.skipIf(process.platform !== 'linux')(
  'a process whose log cannot be written goes on and ends as it should',
  async () => {
    const full = openSync('/dev/full', 'w');
    const child = spawn(process.execPath, [script, 'live'], { stdio: ['pipe', full, 'pipe'] });
    closeSync(full);
    await once(child.stderr!, 'data');
    child.stdin!.write('go\n');
    const deadline = setTimeout(() => child.kill('SIGKILL'), scaled(10_000));
    const [code, signal] = (await once(child, 'exit')) as [number | null, string | null];
    clearTimeout(deadline);
    expect(code ?? signal).toBe(7);
  },
);

test.for(['exit', 'fatal'])('what was logged last is written before the end (%s)', async (mode) => {
  const child = spawn(process.execPath, [script, mode], { stdio: 'pipe' });
  let text = '';
  child.stdout.on('data', (chunk: Buffer) => (text += chunk.toString()));
  await once(child.stderr, 'data');
  child.stdin.write('go\n');
  await once(child, 'close');
  expect(text).toContain('"msg":"last"');
  if (mode === 'fatal') expect(text).toContain('"msg":"fatal"');
});

test('many lines of any letters are written whole and in their order', async () => {
  const child = spawn(process.execPath, [script, 'many'], { stdio: 'pipe' });
  const chunks: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
  child.stderr.resume();
  child.stdin.write('go\n');
  await once(child, 'close');
  const lines = Buffer.concat(chunks).toString().trimEnd().split('\n');
  const read = lines.map((line) => JSON.parse(line) as { n?: number; text?: string });
  const many = read.filter(({ n }) => n !== undefined);
  expect(many.map(({ n }) => n)).toEqual(Array.from({ length: 5_000 }, (_, n) => n));
  expect(many.every(({ text }) => text === 'Größe 中古ヨット')).toBe(true);
});
