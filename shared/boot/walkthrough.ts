import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

/** A command of the README and the heading that it stands under. */
export type Step = { heading: string; command: string };

/** The parts of the README whose commands are run, as they stand there, one after the other in one shell. */
const RUN = new Set(['First request', 'Walkthroughs']);
const END = '<<end of step>>';
/** What waits for something that never comes is given up. */
const STEP_LIMIT_MS = 180_000;

/** The commands of the README's first request and walkthroughs, in its order. */
export function readSteps(readme: string): Step[] {
  return readme
    .split(/^## /m)
    .slice(1)
    .filter((part) => RUN.has(part.split('\n', 1).join()))
    .flatMap((part) => part.split(/^### /m))
    .flatMap((part) => {
      const heading = part.split('\n', 1).join();
      const blocks = part.split('\n```sh\n').slice(1);
      return blocks.flatMap((block) =>
        splitCommands(block.split('\n```', 1).join()).map((command) => ({ heading, command })),
      );
    });
}

/** The lines of a block as whole commands: a line goes on with the next as long as bash finds it unfinished. */
function splitCommands(block: string): string[] {
  const commands: string[] = [];
  let begun = '';
  for (const line of block.split('\n')) {
    begun += begun === '' ? line : `\n${line}`;
    if (begun.trim() === '') begun = '';
    else if (!begun.endsWith('\\') && spawnSync('bash', ['-n'], { input: begun }).status === 0) {
      commands.push(begun);
      begun = '';
    }
  }
  if (begun !== '') throw new Error(`bash does not understand: ${begun}`);
  return commands;
}

export type StepResult = { output: string; failed: boolean };

/**
 * One bash in which steps run after each other and share their variables. A step has failed when a command of it or of its pipes has,
 * and an answer of 400 and above is a failure of curl.
 */
export function openShell(environment: Record<string, string | undefined>) {
  const shell: ChildProcess = spawn('bash', ['--noprofile', '--norc'], {
    env: environment,
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const lines = createInterface({ input: shell.stdout! })[Symbol.asyncIterator]();
  shell.stdin!.write('exec 2>&1\nset -o pipefail\ncurl() { command curl --fail-with-body --show-error "$@"; }\n');
  return {
    async run(command: string): Promise<StepResult> {
      shell.stdin!.write(`${command}\nprintf '\\n%s %s\\n' '${END}' $?\n`);
      const output: string[] = [];
      const limit = setTimeout(() => shell.kill(), STEP_LIMIT_MS).unref();
      using _ = { [Symbol.dispose]: () => clearTimeout(limit) };
      for (;;) {
        const { value, done } = await lines.next();
        if (done) return { output: output.join('\n'), failed: true };
        if (value.startsWith(END)) return { output: output.join('\n').trim(), failed: value !== `${END} 0` };
        output.push(value);
      }
    },
    async close(): Promise<void> {
      shell.stdin!.end();
      if (shell.exitCode === null) await once(shell, 'exit');
    },
  };
}

const MAX_LINES = 24;

/** An answer as it is read best: JSON indented, and no more than the first lines of it. */
export function toReadable(output: string): string {
  const lines = indent(output).split('\n');
  const rest = lines.length - MAX_LINES;
  return [...lines.slice(0, MAX_LINES), ...(rest > 0 ? [`… ${rest} more lines`] : [])].join('\n');
}

function indent(output: string): string {
  try {
    return JSON.stringify(JSON.parse(output), null, 2);
  } catch {
    return output;
  }
}
