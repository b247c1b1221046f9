import { spawn, type ChildProcess } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { stripVTControlCharacters } from 'node:util';
import { expect } from 'vitest';
import { makeTestFolder } from '../support/folders.ts';
import { compileCache } from '../support/processes.ts';

const root = join(import.meta.dirname, '../..');
export const service = join(import.meta.dirname, 'fixtures/service.ts');

export type Running = {
  child: ChildProcess;
  lines: string[];
  /** Each stream by itself: which of two comes first is the pipes' affair. */
  stdout: string[];
  stderr: string[];
  /** Waits for a line that matches and answers the match. */
  line(pattern: RegExp): Promise<RegExpExecArray>;
  /** Waits for the end: the exit code, or the signal. */
  end(): Promise<number | string | null>;
};

const started: Running[] = [];
const folders: string[] = [];

/** Ends what a test has started and removes its folders: for `afterEach`. */
export async function endAll(): Promise<void> {
  for (const running of started.splice(0)) {
    running.child.kill('SIGTERM');
    await running.end();
  }
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
}

export function newFolder(): string {
  const folder = makeTestFolder();
  folders.push(folder);
  return folder;
}

/** Runs the supervisor in `folder` on a Procfile of fixture services, `name: mode`. */
export function startSupervisor(
  folder: string,
  services: Record<string, string>,
  environment: Record<string, string>,
  runner: 'node' | 'npm' = 'node',
  runAs?: number,
): Running {
  const procfile = Object.entries(services).map(([name, mode]) => `${name}: node ${service} ${mode}\n`);
  writeFileSync(join(folder, 'Procfile'), procfile.join(''));
  const given = { PATH: process.env['PATH'] ?? '', DATA_DIR: join(folder, 'data'), PORT: '0' };
  const variables = { ...given, ...environment };
  const script = join(root, 'shared/boot/start.ts');
  if (runner === 'node') return run([script], folder, variables, { runAs });
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ scripts: { start: `node ${script}` } }));
  return run(['start'], folder, variables, { program: 'npm' });
}

/**
 * Runs Node (or another program) with these arguments, in an environment that holds nothing else but where to find what other processes
 * of the run have compiled (not with `compilesAlone`).
 */
export function run(
  args: string[],
  cwd: string,
  environment: Record<string, string>,
  {
    program = process.execPath,
    ipc = false,
    runAs,
    compilesAlone = false,
  }: { program?: string; ipc?: boolean; runAs?: number | undefined; compilesAlone?: boolean } = {},
): Running {
  const child = spawn(program, args, {
    cwd,
    env: compilesAlone ? environment : { ...compileCache, ...environment },
    ...(runAs !== undefined && { uid: runAs, gid: runAs }),
    stdio: ['ignore', 'pipe', 'pipe', ...(ipc ? ['ipc' as const] : [])],
  });
  const lines: string[] = [];
  const streams = { stdout: [] as string[], stderr: [] as string[] };
  for (const name of ['stdout', 'stderr'] as const)
    createInterface({ input: child[name]! }).on('line', (line) => {
      const text = stripVTControlCharacters(line);
      lines.push(text);
      streams[name].push(text);
    });
  const ended = new Promise<number | string | null>((resolve) => {
    child.once('close', (code, signal) => resolve(code ?? signal));
    // A channel closed from this side leaves 'close' out.
    child.once('disconnect', () => child.once('exit', (code, signal) => resolve(code ?? signal)));
  });
  const running: Running = {
    child,
    lines,
    ...streams,
    async line(pattern) {
      const find = () => lines.map((line) => pattern.exec(line)).find((match) => match !== null);
      await expect
        .poll(find, { interval: 10, message: `a line like ${pattern} among\n${lines.join('\n')}` })
        .toBeTruthy();
      return find()!;
    },
    end: () => ended,
  };
  started.push(running);
  return running;
}
