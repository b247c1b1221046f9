import { existsSync, readFileSync } from 'node:fs';
import { relative } from 'node:path';
import type { Reporter, TestModule, Vitest } from 'vitest/node';
import { dearFiles } from './dear-files.ts';

declare module 'vitest' {
  interface TaskMeta {
    /** Seconds of the processor that a file took: in its process, and in those that it started. */
    cpuSeconds?: number;
  }
}

/** USER_HZ, in which proc(5) counts. */
const TICKS_PER_SECOND = 100;
const SHOWN_FILES = 10;
/** A file that takes more stands in the list of dear files, with its reason. */
const DEAR_SECONDS = 15;

/** Seconds of the processor that a process and all below it have taken, but for what has ended without being waited for. */
export function cpuSecondsOf(pid: number | string): number {
  try {
    const [, fields = ''] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(/\) (?=[^)]*$)/);
    // utime, stime, cutime and cstime; the state of the process, behind its name, is field 3.
    const ticks = fields.split(' ').slice(11, 15).map(Number);
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean);
    return ticks.reduce((sum, each) => sum + each, 0) / TICKS_PER_SECOND + add(children.map(cpuSecondsOf));
  } catch {
    // It has ended meanwhile, or the system has no /proc.
    return 0;
  }
}

const add = (numbers: readonly number[]) => numbers.reduce((sum, each) => sum + each, 0);

/** Seconds for which the machine's processors have been busy, whoever was using them. */
function cpuSecondsOfMachine(): number {
  const [line = ''] = existsSync('/proc/stat') ? readFileSync('/proc/stat', 'utf8').split('\n') : [];
  const [user = 0, nice = 0, system = 0] = line.split(/\s+/).slice(1).map(Number);
  return (user + nice + system) / TICKS_PER_SECOND;
}

type Cost = { name: string; seconds: number; tests: number };

const sum = (costs: readonly Cost[]): Omit<Cost, 'name'> => ({
  seconds: add(costs.map(({ seconds }) => seconds)),
  tests: add(costs.map(({ tests }) => tests)),
});
const dearestFirst = (costs: readonly Cost[]) => costs.toSorted((a, b) => b.seconds - a.seconds);
const secondsOf = (seconds: number) => `${seconds.toFixed(1).padStart(7)} s`;
const lineOf = ({ name, seconds, tests }: Cost) => `${secondsOf(seconds)} ${String(tests).padStart(6)} tests  ${name}`;

/**
 * Prints the CPU seconds of each folder of test/ and of the dearest files (ten, or CPU_FILES), and names what is dear without a
 * reason. What the database server takes is no file's.
 */
export class CpuReport implements Reporter {
  #before = 0;
  #vitest: Vitest | undefined;

  onInit(vitest: Vitest): void {
    this.#vitest = vitest;
  }

  onTestRunStart(): void {
    this.#before = cpuSecondsOfMachine();
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    const files = modules.map((module) => ({
      name: relative('.', module.moduleId),
      seconds: module.meta().cpuSeconds ?? 0,
      tests: [...module.children.allTests()].length,
    }));
    const byFolder = Map.groupBy(files, ({ name }) => name.split('/').slice(0, -1).slice(0, 3).join('/'));
    const folders = [...byFolder].map(([name, costs]) => ({ name, ...sum(costs) }));
    const { databaseServerPid } = this.#vitest!.getRootProject().getProvidedContext();
    const shown = Number(process.env['CPU_FILES'] ?? SHOWN_FILES);
    const unexplained = files.filter(({ name, seconds }) => seconds > DEAR_SECONDS && !(name in dearFiles));
    console.log(
      [
        '',
        'CPU seconds by folder',
        ...dearestFirst(folders).map(lineOf),
        'The dearest files',
        ...dearestFirst(files).slice(0, shown).map(lineOf),
        lineOf({ name: 'all files', ...sum(files) }),
        `${secondsOf(cpuSecondsOf(databaseServerPid))}  the database server`,
        `${secondsOf(cpuSecondsOfMachine() - this.#before)}  the whole machine`,
        ...unexplained.map(
          ({ name }) => `${name} takes more than ${DEAR_SECONDS} s: test/support/dear-files.ts says why`,
        ),
      ].join('\n'),
    );
  }
}
