import type { Demo } from './demo.ts';
import { listDoubtful, offerRentals, saveSearches } from './keep.ts';
import { listDay, planDays, type Listed } from './list-stock.ts';
import { liveDay } from './live-day.ts';
import { DEMO_DOMAIN, findAccount, findAdmin, GUEST_EMAIL, signUpGuest, signUpPeople } from './people.ts';
import { DAYS } from './past.ts';
import { awaitRun, scheduleScraper } from './scrape.ts';
import type { Stock } from './stock.ts';
import { visit } from './traffic.ts';

/** Why a demo would do harm here; undefined for an empty marketplace, and for one that a demo has filled. */
export async function findObjection({ services }: Demo): Promise<string | undefined> {
  if (services.config.marketplaceFile !== undefined)
    return 'The demo fills the marketplaces that come along: unset MARKETPLACE_FILE.';
  if (await findAccount({ services }, GUEST_EMAIL)) return undefined;
  const { db } = services;
  if (!(await findAdmin({ services }))) return 'The demo needs an administrator: set ADMIN_EMAIL and ADMIN_PASSWORD.';
  const stranger = await db
    .selectFrom('users')
    .select('email')
    .where('role', '<>', 'admin')
    .where('email', 'not like', `%@${DEMO_DOMAIN}`)
    .limit(1)
    .executeTakeFirst();
  const begun = await findAccount({ services }, `seller1@${DEMO_DOMAIN}`);
  const listing = await db.selectFrom('listings').select('id').limit(1).executeTakeFirst();
  if (!stranger && (begun !== undefined || !listing)) return undefined;
  return 'This marketplace has content of its own, and the demo fills only an empty one: name a new folder in DATA_DIR, or another database in DATABASE_URL.';
}

/** What is listed, how many visitors come (1 is the usual), the site that a scraper is set on, how long its first run is waited for, and where progress is told. */
export type Filling = {
  stock: readonly Stock[];
  crowd: number;
  origin: string;
  scrapeWaitMs: number;
  print: (line: string) => void;
};

/**
 * Fills an empty marketplace with thirty days of made-up life on real listings, day by day; answers how many seconds that took, and
 * nothing where it was done before. One that was cut off goes on with what is missing.
 */
export async function fillMarketplace(demo: Demo, filling: Filling): Promise<number | undefined> {
  if (await findAccount(demo, GUEST_EMAIL)) return undefined;
  const { stock, crowd, origin, scrapeWaitMs, print } = filling;
  const startedAt = performance.now();
  const seconds = () => (performance.now() - startedAt) / 1_000;
  const say = (line: string) => print(`${seconds().toFixed(0).padStart(3)} s  ${line}`);

  const people = await signUpPeople(demo);
  say(`${people.sellers.length} sellers and ${people.buyers.length} buyers have signed up`);
  const scraper = await scheduleScraper(demo, people.admin, origin);
  say('a scraper reads the harbour board, and will again each night at 04:00 UTC');
  const listed: Listed[] = [];
  for (const [day, entries] of planDays(stock, people).entries()) {
    const news = await listDay(demo, people, day, entries);
    listed.push(...news);
    if (news.length > 0) await liveDay(demo, people, day, listed);
    if (day % 10 === 9) say(`${listed.length} listings on ${day + 1} of ${DAYS} days`);
  }
  if (await isEmpty(demo, 'search_queries')) {
    const counts = await visit(demo, listed, crowd);
    say(`${counts.views} views and ${counts.searches} searches`);
  }
  await listDoubtful(demo, people);
  if (await isEmpty(demo, 'saved_searches')) await saveSearches(demo, people);
  if (await isEmpty(demo, 'rentals')) await offerRentals(demo, people);
  say('saved searches, rentals with bookings, and something to moderate');
  say(`the first run of the scraper: ${await awaitRun(demo, people.admin, scraper, scrapeWaitMs)}`);
  await signUpGuest(demo);
  return seconds();
}

const isEmpty = async ({ services }: Demo, table: 'search_queries' | 'saved_searches' | 'rentals') =>
  (await services.db.selectFrom(table).selectAll().limit(1).execute()).length === 0;
