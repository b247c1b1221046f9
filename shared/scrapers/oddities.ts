import { noFindings, watchedFields, type Findings, type WatchedField } from './findings.ts';
import type { Oddity } from './oddity.ts';

/** The least number of earlier runs that make a baseline. */
const MIN_RUNS = 3;
/** Fields of fewer records than these say little. */
const MIN_RECORDS = 5;
/** What a field may lack beside what chance explains. */
const MAX_LOSS = 0.2;
/** A field that is on so many records usually is missed when half of it is gone, however few that are. */
const MIN_USUAL = 0.1;
/** Pages of a crawl from which the share of those with a record is known. */
const MIN_PAGES = 10;
/** Prices that are this many times higher or lower than usual on the whole are misread. */
const MAX_PRICE_FACTOR = 4;
const MIN_PRICES = 20;
/** A crawl that misses more of its pages, and at least so many, has gone wrong, also the first one. */
const MAX_MISSED_SHARE = 0.5;
const MIN_MISSED = 5;

/** Whether there are enough earlier runs to compare with. */
export const hasBaseline = (history: readonly Findings[]): boolean => history.length >= MIN_RUNS;

/** What is odd about the number of records of a whole crawl, compared with earlier ones of the scraper; empty when nothing is. */
export function oddVolume(history: readonly Findings[], { records }: Findings): Oddity[] {
  if (!hasBaseline(history)) return [];
  const earlier = history.map((each) => each.records).toSorted((a, b) => a - b);
  const usual = earlier[Math.floor(earlier.length / 2)] ?? 0;
  const [least = 0, most = 0] = [earlier[0], earlier.at(-1)];
  const tooFew = records < least && (records === 0 || records < usual - Math.max(usual / 2, MIN_RECORDS));
  const tooMany = records > most && records > 3 * usual + 2 * MIN_RECORDS;
  if (!tooFew && !tooMany) return [];
  return [{ kind: 'records', now: records, before: usual }];
}

/** That most pages of a whole crawl are missing, unless they were in an earlier one too; empty when nothing is odd. */
export function oddPages(history: readonly Findings[], found: Findings): Oddity[] {
  const share = missedShare(found);
  const usual = Math.max(0, ...history.map(missedShare));
  if (found.pages_missed < MIN_MISSED || share <= MAX_MISSED_SHARE || share - usual <= MAX_LOSS) return [];
  return [{ kind: 'missed_pages', now: found.pages_missed, of: found.pages }];
}

const missedShare = ({ pages, pages_missed: missed }: Findings) => (pages === 0 ? 0 : missed / pages);

/**
 * That the layout of a site seems to be another: a crawl of several pages that finds nothing where an earlier one did, or records
 * on less than half as large a share of its pages as usual; empty when nothing is odd.
 */
export function oddLayout(history: readonly Findings[], { pages, records }: Findings): Oddity[] {
  const before = addUp(history);
  if (records === 0 && pages > 0 && before.records >= MIN_RECORDS && !hasBaseline(history))
    return [{ kind: 'no_records', of: pages, before: before.records }];
  if (!hasBaseline(history) || pages < MIN_PAGES || before.pages < MIN_PAGES || records === 0) return [];
  const usual = Math.min(1, before.records / before.pages);
  const now = records / pages;
  const chance = 2 * Math.sqrt((usual * (1 - usual)) / pages);
  if (now >= usual / 2 || usual - now <= chance) return [];
  return [{ kind: 'record_share', now, before: usual }];
}

/** What is odd about the fields of the records read so far, compared with earlier crawls; empty when nothing is. */
export function oddFields(history: readonly Findings[], found: Findings): Oddity[] {
  if (!hasBaseline(history) || found.read < MIN_RECORDS) return [];
  const before = addUp(history);
  if (before.read < MIN_RECORDS) return [];
  return [...watchedFields.flatMap((field) => lostField(field, before, found)), ...oddPrices(before, found)];
}

function lostField(field: WatchedField, before: Findings, found: Findings): Oddity[] {
  const usual = before[field] / before.read;
  const now = found[field] / found.read;
  const expected = (before[field] + 1) / (before.read + 2);
  const chance = 2 * Math.sqrt((expected * (1 - expected)) / found.read);
  const isHalved = usual >= MIN_USUAL && now < usual / 2 && usual - now > chance;
  if (usual - now <= MAX_LOSS + chance && !isHalved) return [];
  return [{ kind: 'field', field, now, before: usual }];
}

function oddPrices(before: Findings, found: Findings): Oddity[] {
  if (before.price < MIN_PRICES || found.price < MIN_PRICES) return [];
  const ratio = Math.exp((found.price_level / found.price - before.price_level / before.price) / 1_000);
  if (ratio < MAX_PRICE_FACTOR && ratio > 1 / MAX_PRICE_FACTOR) return [];
  return [{ kind: 'prices', times: ratio < 1 ? 1 / ratio : ratio, isLower: ratio < 1 }];
}

function addUp(history: readonly Findings[]): Findings {
  const sum = { ...noFindings };
  for (const findings of history) {
    for (const name of Object.keys(sum) as (keyof Findings)[]) sum[name] += findings[name];
  }
  return sum;
}
