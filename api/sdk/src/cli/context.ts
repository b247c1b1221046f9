import { once } from 'node:events';
import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { isatty } from 'node:tty';
import { createClient } from '../client.ts';
import { UsageError, stringFlag, type CommandContext, type FlagValues } from './command.ts';
import { credentialsFile, readCredentials } from './credentials.ts';
import { formatTable, plainLine } from './output.ts';

const DEFAULT_URL = 'http://localhost:3000';

/** What a command works with: its marketplace and credential, the terminal, and a client. */
export async function createContext(env: NodeJS.ProcessEnv, values: FlagValues): Promise<CommandContext> {
  const isJson = values['json'] === true;
  const stored = await readCredentials(credentialsFile(env));
  const baseUrl = originOf(stringFlag(values, 'url') ?? env['QUAYSIDE_URL'] ?? stored.current ?? DEFAULT_URL);
  const token = stringFlag(values, 'token') ?? env['QUAYSIDE_TOKEN'] ?? stored.tokens[baseUrl];
  const print = (line: string): void => void process.stdout.write(`${plainLine(line)}\n`);
  return {
    baseUrl,
    token,
    isJson,
    env,
    client: createClient({ baseUrl, token }),
    print,
    printJson: (value) => void process.stdout.write(`${JSON.stringify(value)}\n`),
    printTable(head, rows) {
      process.stdout.write(formatTable(head, rows, process.stdout.isTTY ? process.stdout.columns : undefined));
    },
    note: (line) => void (isJson || process.stderr.write(`${plainLine(line)}\n`)),
    ask,
    interruptible() {
      const controller = new AbortController();
      for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => controller.abort());
      return controller.signal;
    },
  };
}

/** The address without a slash at its end, so that one marketplace has one spelling. */
function originOf(url: string): string {
  if (!/^https?:\/\//i.test(url) || !URL.canParse(url)) throw new UsageError(`'${url}' is not an http(s) URL.`);
  const { origin, pathname } = new URL(url);
  return origin + (pathname.endsWith('/') ? pathname.slice(0, -1) : pathname);
}

async function ask(question: string, { isSecret = false } = {}): Promise<string | undefined> {
  process.stderr.write(question);
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({
    input: process.stdin,
    output: isSecret ? silent : process.stderr,
    terminal: isatty(process.stdin.fd),
  });
  const ended = once(lines, 'close').then(() => undefined);
  try {
    return await Promise.race([once(lines, 'line').then(([line]) => String(line)), ended]);
  } finally {
    lines.close();
    if (isSecret) process.stderr.write('\n');
  }
}
