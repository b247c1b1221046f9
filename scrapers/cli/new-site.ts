// npm run new:site -- URL: learns a site and prints the scraper to make; --code writes the start of code of its own.
import '../../shared/boot/require-node.js';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { assertPublicUrl } from '../../shared/adapters/fetch-guard.ts';
import { createGuardedFetch } from '../../shared/adapters/fetch.ts';
import { exitRefused, readConfigOrExit } from '../../shared/kit/config.ts';
import { readMarketplace } from '../../shared/profiles/read-profile.ts';
import { userAgentOf } from '../crawl/spec.ts';
import { lookAtSite } from '../learn/look-at-site.ts';
import { createPageAnalyst } from '../learn/page-analyst.ts';
import type { LookedAtPage } from '../learn/read-page-facts.ts';
import { createPace } from '../politeness/pace.ts';
import { createRobotsMemory } from '../politeness/robots.ts';
import { writeSiteCode } from './new-site-files.ts';
import { renderProposal } from './print-proposal.ts';

const usage = `npm run new:site -- URL [--json] [--code]

  Looks at a page and at most 20 others of its site, politely, and proposes a scraper.
  --json   only the body for POST /api/admin/scrapers
  --code   writes scrapers/sites/NAME: code that begins as what the general rules read, for a site that they do not`;

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { json: { type: 'boolean' }, code: { type: 'boolean' } },
});
const [url = ''] = positionals;
if (!/^https?:\/\//i.test(url) || !URL.canParse(url) || positionals.length > 1) {
  console.error(usage);
  process.exit(64);
}
const config = readConfigOrExit();
const marketplace = await readMarketplace(config).catch(exitRefused);
try {
  assertPublicUrl(url, config.fetchAllow);
} catch (error) {
  console.error(`${messageOf(error)} FETCH_ALLOW names hosts that may be read all the same.`);
  process.exit(1);
}

const userAgent = userAgentOf(config.baseUrl, config.crawlerContact);
const fetch = createGuardedFetch({ allow: config.fetchAllow, userAgent });
const analyst = createPageAnalyst(marketplace);
const pages: LookedAtPage[] = [];
try {
  const proposal = await lookAtSite(url, [], {
    ...{ fetch, analyst, pace: createPace(Date.now), robots: createRobotsMemory() },
    browser: { chromiumPath: config.chromiumPath, userAgent },
    now: Date.now,
    sleep: (milliseconds, signal) => delay(milliseconds, undefined, { signal }),
    signal: new AbortController().signal,
    async keep(page) {
      pages.push(page);
      console.error(`${page.problem === undefined ? 'read' : 'not read'}  ${page.url}  ${page.problem ?? ''}`);
      return true;
    },
  });
  if (proposal) {
    console.log(values.json ? JSON.stringify(proposal.scraper, undefined, 2) : renderProposal(proposal));
    const thing = proposal.pages.find(({ role }) => role === 'thing') ?? proposal.pages[0];
    const saved = pages.find((page) => page.url === thing?.url && page.html !== undefined);
    if (values.code && saved?.html !== undefined) console.log(await writeSiteCode(saved.url, saved.html));
  }
} catch (error) {
  console.error(messageOf(error));
  process.exitCode = 1;
} finally {
  await Promise.all([fetch.close(), analyst.close()]);
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
