import { styleText } from 'node:util';
import { z } from 'zod';

const logLine = z.looseObject({ level: z.int(), time: z.string(), msg: z.string().default('') });

/** The numbers of pino's levels. */
const levels: Record<number, { name: string; colour: 'gray' | 'green' | 'yellow' | 'red' }> = {
  10: { name: 'trace', colour: 'gray' },
  20: { name: 'debug', colour: 'gray' },
  30: { name: 'info', colour: 'green' },
  40: { name: 'warn', colour: 'yellow' },
  50: { name: 'error', colour: 'red' },
  60: { name: 'fatal', colour: 'red' },
};

/** A JSON log line as a person reads it: time of day, level, message, then `key=value` and the stack of an error; other lines as they are. */
export function toReadableLine(line: string): string {
  const parsed = line.startsWith('{') ? logLine.safeParse(parseOrUndefined(line)) : undefined;
  if (!parsed?.success) return line;
  const { level, time, msg, process: _process, err, ...rest } = parsed.data;
  const { name, colour } = levels[level] ?? { name: String(level), colour: 'gray' };
  const facts = Object.entries(rest).map(([key, value]) => `${key}=${textOf(value)}`);
  const head = [time.slice(11, 19), styled(colour, name.padEnd(5)), msg, styled('gray', facts.join(' '))];
  return `${head.filter(Boolean).join(' ')}${err === undefined ? '' : `\n  ${stackOf(err).replaceAll('\n', '\n  ')}`}`;
}

const styled = (colour: 'gray' | 'green' | 'yellow' | 'red', text: string) =>
  text && styleText(colour, text, { stream: process.stdout });

const textOf = (value: unknown) => (typeof value === 'string' && !/[\s"=]/.test(value) ? value : JSON.stringify(value));

const stackOf = (err: unknown) => {
  const { data } = z.looseObject({ stack: z.string() }).safeParse(err);
  return data?.stack ?? textOf(err);
};

function parseOrUndefined(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
