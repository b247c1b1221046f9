import type { QuaysideClient } from '../client.ts';

/** An option of a command. */
export type Flag = {
  type: 'string' | 'boolean';
  short?: string;
  multiple?: boolean;
  /** How the help names its value. */
  value?: string;
  about: string;
};

export type FlagValues = Record<string, string | boolean | (string | boolean)[] | undefined>;

/** What a command works with. */
export type CommandContext = {
  baseUrl: string;
  token: string | undefined;
  isJson: boolean;
  env: NodeJS.ProcessEnv;
  client: QuaysideClient;
  /** A line of the answer; control characters of foreign texts are blanks. */
  print(line: string): void;
  printJson(value: unknown): void;
  printTable(head: string[], rows: string[][]): void;
  /** A line beside the answer, on standard error; nothing with --json. */
  note(line: string): void;
  /** The next line of standard input; undefined at its end. */
  ask(question: string, options?: { isSecret?: boolean }): Promise<string | undefined>;
  /** Aborted by Ctrl-C and SIGTERM, which then no longer end the process by themselves. */
  interruptible(): AbortSignal;
};

export type Command = {
  name: string;
  summary: string;
  /** The arguments behind the name, as the help shows them: `ID`, `[WORD …]`. */
  positionals: string;
  /** How many there may be. */
  arity: [min: number, max: number];
  flags: Record<string, Flag>;
  /** Answers the exit code where it is not 0. */
  run(context: CommandContext, values: FlagValues, positionals: string[]): Promise<number | void>;
};

/** The command line is wrong: exit code 2. */
export class UsageError extends Error {}

/** The command could not do what it was told: exit code 1. */
export class CommandError extends Error {}

/** The value of an option that takes one. */
export function stringFlag(values: FlagValues, name: string): string | undefined {
  const value = values[name];
  return typeof value === 'string' ? value : undefined;
}

/** The value of an option that is a whole number from `min` on. */
export function numberFlag(values: FlagValues, name: string, min = 0): number | undefined {
  const value = stringFlag(values, name);
  if (value === undefined) return undefined;
  const number = Number(value);
  if (!/^\d+$/.test(value) || !Number.isSafeInteger(number) || number < min)
    throw new UsageError(`--${name} has to be a whole number from ${min} on, not '${value}'.`);
  return number;
}
