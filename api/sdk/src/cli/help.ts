import { globalFlags } from './arguments.ts';
import type { Command, Flag } from './command.ts';

const WIDTH = 28;

/** All commands in one line each. */
export function renderOverview(commands: readonly Command[]): string {
  const lines = commands.map(({ name, summary }) => `  ${name.padEnd(12)}${summary}`);
  return `quayside COMMAND [ARGUMENT …] [--OPTION …]

${lines.join('\n')}

Everywhere:
${renderFlags({ ...globalFlags, version: { type: 'boolean', about: 'the version' } })}

Exit codes: 0 done, 1 refused or failed, 2 wrong command line, 3 not logged in or not allowed, 4 not found, 5 not reachable.
`;
}

/** One command and its options. */
export function renderHelp({ name, summary, positionals, flags }: Command): string {
  return `${['quayside', name, positionals].filter(Boolean).join(' ')}

${summary}

${renderFlags({ ...flags, ...globalFlags })}
`;
}

const renderFlags = (flags: Record<string, Flag>): string =>
  Object.entries(flags)
    .map(([name, { short, value, about }]) => {
      const shown = [
        short === undefined ? '' : `-${short}, `,
        `--${name}`,
        value === undefined ? '' : ` ${value}`,
      ].join('');
      return `  ${shown.padEnd(WIDTH)} ${about}`;
    })
    .join('\n');
