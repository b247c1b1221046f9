import { spawn, type ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';
import { styleText } from 'node:util';
import { errorCode } from '../../db/errors.ts';
import { badConfigurationExit } from '../kit/config.ts';
import { isReadyMessage } from '../kit/ready.ts';

/** A process to run: its own name, and that of its line in the Procfile. */
export type Command = { name: string; door: string; program: string; args: string[] };

export type Fleet = {
  /** Asks a process to end and starts it anew when it has; at once, when it has ended by itself. */
  renew(name: string): void;
  /** Asks every process to end and waits for them; after `graceMs` they are killed. Answers the names of those. */
  stop(graceMs: number): Promise<string[]>;
  /** Kills what still runs. */
  kill(): void;
};

type FleetOptions = {
  environment: Record<string, string | undefined>;
  print: (line: string) => void;
  /** What is printed of a line of output; the line as it is when absent. */
  format?: (line: string) => string;
  /** Called when a process refuses its configuration (exit code 78): starting it again would not help. */
  onBadConfiguration: (name: string) => void;
};

const restartDelaysMs = [1_000, 2_000, 4_000, 8_000, 15_000, 30_000];
/** A program that never tells that it is ready counts as well after this. */
const stableAfterMs = 60_000;
const colours = ['cyan', 'magenta', 'yellow', 'green', 'blue'] as const;

/** The processes of a Procfile, in its order; `node` means the Node that runs now. */
export function parseProcfile(text: string): Command[] {
  return text
    .split('\n')
    .map((line) => /^([\w-]+)\s*:\s*(\S.*)$/.exec(line.trim()))
    .filter((match) => match !== null)
    .map(([, name = '', command = '']) => {
      const [program = '', ...args] = command.trim().split(/\s+/);
      return { name, door: name, program: program === 'node' ? process.execPath : program, args };
    });
}

/** The commands with `times` processes of the one called `door`: `api`, `api-2`, … */
export const repeatCommand = (commands: Command[], door: string, times: number): Command[] =>
  commands.flatMap((command) =>
    command.door === door
      ? Array.from({ length: times }, (_, i) => (i === 0 ? command : { ...command, name: `${door}-${i + 1}` }))
      : [command],
  );

/**
 * Starts the commands and keeps them running: one that ends by itself is started again after 1 s, then, unless it was ready in
 * between (ready.ts), ever later up to 30 s.
 * Their output is printed line by line behind their name, in colour on a terminal. Each is in a process group of its own, so
 * that Ctrl-C reaches the supervisor alone, and holds a channel to it, so that it notices when the supervisor is killed.
 */
export function startFleet(
  commands: Command[],
  { environment, print, format = (line) => line, onBadConfiguration }: FleetOptions,
): Fleet {
  const running = new Map<string, ChildProcess>();
  const restarts = new Map<string, NodeJS.Timeout>();
  const renewed = new WeakSet<ChildProcess>();
  const width = Math.max(0, ...commands.map(({ name }) => name.length));
  let stopping = false;

  function prefixOf(command: Command): string {
    const colour = colours[commands.indexOf(command) % colours.length]!;
    return styleText(colour, `${command.name.padEnd(width)} |`, { stream: process.stdout });
  }

  function start(command: Command, failures: number): void {
    const startedAt = performance.now();
    let ready = false;
    const child = spawn(command.program, command.args, {
      env: environment,
      detached: process.platform !== 'win32',
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    });
    running.set(command.name, child);
    for (const stream of [child.stdout, child.stderr])
      if (stream)
        createInterface({ input: stream }).on('line', (line) => print(`${prefixOf(command)} ${format(line)}`));
    child.on('message', (message) => {
      ready ||= isReadyMessage(message);
    });
    child.once('error', (error) => print(`${prefixOf(command)} ${error.message}`));
    child.once('exit', (code, signal) => {
      running.delete(command.name);
      killGroup(child);
      if (stopping) return;
      if (renewed.has(child)) return start(command, 0);
      if (code === badConfigurationExit) return onBadConfiguration(command.name);
      const wasWell = ready || performance.now() - startedAt > stableAfterMs;
      restart(command, wasWell ? 0 : failures, signal ?? `code ${code}`);
    });
  }

  function restart(command: Command, failures: number, reason: string): void {
    const delayMs = restartDelaysMs[Math.min(failures, restartDelaysMs.length - 1)]!;
    print(`${prefixOf(command)} ended (${reason}), starts again in ${delayMs / 1_000} s`);
    const timer = setTimeout(() => {
      restarts.delete(command.name);
      start(command, failures + 1);
    }, delayMs);
    restarts.set(command.name, timer);
  }

  for (const command of commands) start(command, 0);

  return {
    renew(name) {
      const child = running.get(name);
      const command = commands.find((each) => each.name === name);
      if (stopping || !command) return;
      if (child) {
        renewed.add(child);
        askToEnd(child);
      } else {
        clearTimeout(restarts.get(name));
        restarts.delete(name);
        start(command, 0);
      }
    },
    async stop(graceMs) {
      stopping = true;
      for (const timer of restarts.values()) clearTimeout(timer);
      const ended = [...running.values()].map(untilEnded);
      for (const child of running.values()) askToEnd(child);
      const killed: string[] = [];
      const deadline = setTimeout(() => {
        killed.push(...running.keys());
        this.kill();
      }, graceMs);
      await Promise.all(ended);
      clearTimeout(deadline);
      return killed;
    },
    kill() {
      for (const child of running.values()) killGroup(child);
    },
  };
}

/** Resolves when the process has ended and its last lines are printed; a child of its own that holds its output is not waited for. */
function untilEnded(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    child.once('close', () => resolve());
    child.once('exit', () => setTimeout(resolve, 500));
  });
}

/** Kills a process and what it started. */
function killGroup(child: ChildProcess): void {
  if (child.pid === undefined || process.platform === 'win32') {
    child.kill('SIGKILL');
    return;
  }
  try {
    process.kill(-child.pid, 'SIGKILL');
  } catch (error) {
    if (errorCode(error) !== 'ESRCH') throw error;
  }
}

/** Windows has no SIGTERM: there the end of the channel says the same. */
function askToEnd(child: ChildProcess): void {
  if (process.platform === 'win32') child.disconnect();
  else child.kill('SIGTERM');
}
