import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { openShell, readSteps, toReadable } from '../../shared/boot/walkthrough.ts';
import { startProcess } from '../support/processes.ts';

const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8');

test(
  'npm run walkthrough does every step of the README on a marketplace of its own',
  { timeout: 400_000 },
  async () => {
    const walk = startProcess('shared/boot/walkthrough-cli.ts', {
      PATH: process.env.PATH ?? '',
      HOME: process.env.HOME ?? '',
    });
    await walk.ended;
    expect(walk.output()).toMatch(/Every step did what the README says\.\n$/);
    for (const { command } of readSteps(readme)) expect(walk.output()).toContain(command.split('\n', 1).join());
  },
);

test('the steps are the commands of the first request and of every walkthrough that has some', () => {
  const steps = readSteps(readme);
  expect([...new Set(steps.map(({ heading }) => heading))]).toEqual([
    'First request',
    'Scrape to live',
    'Read a feed',
    'Deduplicate',
  ]);
  expect(steps[0]!.command).toBe('API=${API:-http://localhost:3000}');
});

test('a step has failed when a program of its pipe has, and when it was answered 400 or more', async () => {
  const shell = openShell({ PATH: process.env.PATH });
  expect(await shell.run('A=one')).toEqual({ output: '', failed: false });
  expect(await shell.run('echo "$A"')).toEqual({ output: 'one', failed: false });
  expect(await shell.run('false | cat')).toEqual({ output: '', failed: true });
  expect((await shell.run('curl -s http://127.0.0.1:9/')).failed).toBe(true);
  await shell.close();
});

test('answers are printed indented, and no more than the first lines of them', () => {
  expect(toReadable('{"a":1}')).toBe('{\n  "a": 1\n}');
  expect(
    toReadable(Array.from({ length: 30 }, (_, n) => n).join('\n'))
      .split('\n')
      .at(-1),
  ).toBe('… 6 more lines');
});
