import type { Demo } from './demo.ts';
import { createDice } from './draw/dice.ts';
import type { Listed } from './list-stock.ts';
import { daysAgo, DAYS } from './past.ts';

const VISITORS = 400;
const AGENT = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';

/** What visitors typed; the last ones find nothing. */
const searches = {
  nautical: [
    'sailboat', 'pontoon', 'bowrider', 'catamaran', 'trawler', 'center console', 'jet ski', 'hunter', 'catalina', 'beneteau',
    'sea ray', 'fishing boat', 'wake boat', 'houseboat', 'yacht', 'bayliner', 'flybridge', 'diesel', 'aluminum', 'inflatable',
    'submarine', 'hovercraft', 'folding kayak',
  ],
  general: [
    'iphone', 'bike', 'road bike', 'mountain bike', 'sofa', 'dining table', 'dresser', 'honda', 'toyota', 'speakers',
    'samsung', 'desk', 'trek', 'bookcase', 'turntable', 'projector', 'headphones', 'chairs', 'bed', 'tv',
    'telescope', 'piano', 'tent',
  ],
}; // prettier-ignore

/**
 * Thirty days of visitors: views, searches and pages, counted as the service counts those of requests (in batches, one visitor once
 * an hour), but each at its time. More come each week, and at weekends.
 */
export async function visit(
  demo: Demo,
  listed: readonly Listed[],
  share: number,
): Promise<{ views: number; searches: number }> {
  const { services, clock, now } = demo;
  const dice = createDice('visitors');
  const results = await countResults(demo);
  const asked = [...results];
  const counts = { views: 0, searches: 0 };
  for (let day = 0; day < DAYS; day += 1) {
    const ago = DAYS - 1 - day;
    const open = listed.filter((each) => each.day <= day);
    const weekday = daysAgo(now, ago, 12).getUTCDay();
    const crowd = Math.round(share * (60 + day * 6) * (weekday === 0 || weekday === 6 ? 1.5 : 1));
    for (let n = 0; n < crowd; n += 1) {
      const visitor = `198.51.${dice.whole(100, 103)}.${dice.whole(1, VISITORS / 4)}`;
      const at = daysAgo(now, ago, dice.between(6, 23));
      clock.at(at, () => {
        for (let seen = dice.whole(0, 3); seen > 0 && open.length > 0; seen -= 1, counts.views += 1)
          // The first of a list are looked at most.
          services.views.record(open[Math.floor(dice.between(0, 1) ** 2 * open.length)]!.id, {
            network: visitor,
            userAgent: AGENT,
          });
        if (dice.chance(0.6)) {
          const [q, found] = asked[Math.floor(dice.between(0, 1) ** 1.6 * asked.length)]!;
          const ms = dice.between(2, 60);
          services.searchTerms.record({ q, results: found, hasFailed: found === 0, ms }, visitor, AGENT);
          counts.searches += 1;
        }
      });
      const path = dice.pick(['/', '/search', '/', '/search', '/rentals', '/sell']);
      await demo.perform(undefined, at, 'trackEvent', { body: { event: 'page_view', path } }, AGENT);
    }
    await Promise.all([services.views.flush(), services.searchTerms.flush(), services.tracker.flush()]);
  }
  return counts;
}

/** How many listings each of the searches finds now. */
async function countResults({ perform, now, services }: Demo): Promise<Map<string, number>> {
  const found = new Map<string, number>();
  for (const q of searches[services.config.profile]) {
    const { body } = await perform(undefined, now, 'searchListings', { query: { q, limit: '1' } });
    found.set(q, body.pagination.total);
  }
  return found;
}
