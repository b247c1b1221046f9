import { parseArgs } from 'node:util';

/** Something the caller can mend; its message is all they need. */
export class CliError extends Error {}

export type Arguments = { target: string; dry: boolean; json: boolean; browser: boolean; maxPages: number | undefined };

const usage = `npm run scrape -- <url or scraper id> [--dry] [--json] [--max-pages N] [--browser]

  Reads a page (or what a scraper reads) and ingests what it finds, for the administrator or the scraper's owner.
  --dry          only shows what is found; with a URL it needs no database
  --json         one record per line instead of a table
  --max-pages N  follows links within the site, N pages at most (default: 1 for a URL, the scraper's own for a scraper)
  --browser      renders pages in Chromium`;

const options = {
  dry: { type: 'boolean' },
  json: { type: 'boolean' },
  browser: { type: 'boolean' },
  help: { type: 'boolean' },
  'max-pages': { type: 'string' },
} as const;

/** Reads the command line; a CliError says what is wrong with it. */
export function readArguments(args: string[]): Arguments {
  const { values, positionals } = parse(args);
  const [target] = positionals;
  const pages = values['max-pages'];
  if (values.help || target === undefined || positionals.length > 1) throw new CliError(usage);
  if (pages !== undefined && !/^[1-9]\d{0,5}$/.test(pages))
    throw new CliError('--max-pages is a number from 1 to 999999.');
  const { dry = false, json = false, browser = false } = values;
  return { target, dry, json, browser, maxPages: pages === undefined ? undefined : Number(pages) };
}

function parse(args: string[]) {
  try {
    return parseArgs({ args, options, allowPositionals: true });
  } catch (error) {
    throw new CliError(`${error instanceof Error ? error.message : String(error)}\n\n${usage}`, { cause: error });
  }
}
