import { parseArgs } from 'node:util';

/** Something the caller can mend; its message is all they need. */
export class CliError extends Error {}

export type Arguments = {
  target: string;
  dry: boolean;
  json: boolean;
  browser: boolean;
  maxPages: number | undefined;
  feed: string | undefined;
  from: string | undefined;
  site: string | undefined;
};

const usage = `npm run scrape -- <url or scraper id> [--dry] [--json] [--max-pages N] [--browser]
npm run scrape -- <url or file> --feed <preset or mapping.json> --dry [--json] [--site HOST]
npm run scrape -- <id of a scraper that reads a feed> --dry [--json] [--from <url or file>]

  Reads a page (or what a scraper reads) and ingests what it finds, for the administrator or the scraper's owner.
  --dry          only shows what is found; with a URL it needs no database
  --json         one record per line instead of a table
  --max-pages N  follows links within the site, N pages at most (default: 1 for a URL, the scraper's own for a scraper)
  --browser      renders pages in Chromium
  --feed F       reads a feed instead of pages, by a preset (openmarine, google-merchant, csv) or a mapping in a file
  --site HOST    the host that the items of a feed are on (default: that of its URL)
  --from F       the feed that a scraper is to read (default: that at its address)`;

const options = {
  dry: { type: 'boolean' },
  json: { type: 'boolean' },
  browser: { type: 'boolean' },
  help: { type: 'boolean' },
  'max-pages': { type: 'string' },
  feed: { type: 'string' },
  from: { type: 'string' },
  site: { type: 'string' },
} as const;

/** Reads the command line; a CliError says what is wrong with it. */
export function readArguments(args: string[]): Arguments {
  const { values, positionals } = parse(args);
  const [target] = positionals;
  const pages = values['max-pages'];
  if (values.help || target === undefined || positionals.length > 1) throw new CliError(usage);
  if (pages !== undefined && !/^[1-9]\d{0,5}$/.test(pages))
    throw new CliError('--max-pages is a number from 1 to 999999.');
  const { dry = false, json = false, browser = false, feed, from, site } = values;
  return { target, dry, json, browser, feed, from, site, maxPages: pages === undefined ? undefined : Number(pages) };
}

function parse(args: string[]) {
  try {
    return parseArgs({ args, options, allowPositionals: true });
  } catch (error) {
    throw new CliError(`${error instanceof Error ? error.message : String(error)}\n\n${usage}`, { cause: error });
  }
}
