import { parseArgs } from 'node:util';
import { UsageError, type Command, type Flag, type FlagValues } from './command.ts';

/** Options that every command takes. */
export const globalFlags: Record<string, Flag> = {
  url: {
    type: 'string',
    value: 'URL',
    about: 'the marketplace; else QUAYSIDE_URL, the last login, http://localhost:3000',
  },
  token: { type: 'string', value: 'TOKEN', about: 'an API key or a session token; else QUAYSIDE_TOKEN, the login' },
  json: { type: 'boolean', about: 'JSON for programs' },
  help: { type: 'boolean', short: 'h', about: 'this help' },
};

export type ParsedCommand = { command: Command | undefined; values: FlagValues; positionals: string[] };

/** Reads a command line: `NAME [ARGUMENT …] [--flag]` in any order; throws a UsageError that says what is wrong. */
export function parseCommandLine(commands: readonly Command[], args: string[]): ParsedCommand {
  const command = commands.find(
    ({ name }) => name === args.find((each) => commands.some((known) => known.name === each)),
  );
  const stray = args[0];
  if (!command && stray !== undefined && !stray.startsWith('-'))
    throw new UsageError(`There is no command '${stray}'.`);
  const rest = command ? args.toSpliced(args.indexOf(command.name), 1) : args;
  const version: Record<string, Flag> = command ? {} : { version: { type: 'boolean', about: 'the version' } };
  const { values, positionals } = parse(rest, { ...globalFlags, ...version, ...command?.flags });
  if (command && values['help'] !== true) requireArity(command, positionals);
  return { command, values, positionals };
}

function parse(args: string[], flags: Record<string, Flag>): { values: FlagValues; positionals: string[] } {
  const options = Object.fromEntries(
    Object.entries(flags).map(([name, { type, short, multiple }]) => [
      name,
      { type, ...(short !== undefined && { short }), ...(multiple !== undefined && { multiple }) },
    ]),
  );
  try {
    return parseArgs({ args, options, allowPositionals: true, strict: true });
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error), { cause: error });
  }
}

function requireArity({ name, positionals: shown, arity: [min, max] }: Command, positionals: string[]): void {
  if (positionals.length < min || positionals.length > max)
    throw new UsageError(`It is: quayside ${[name, shown].filter(Boolean).join(' ')}`);
}
