import { z } from 'zod';
import { watchedFields, type WatchedField } from './findings.ts';

const share = z.number().min(0).max(1);
const count = z.int().min(0);

/** One way in which a run is unlike the earlier ones of its scraper; shares are of its records, or of its pages. */
export const oddity = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('records'), now: count, before: count }),
  z.object({ kind: z.literal('missed_pages'), now: count, of: count }),
  z.object({ kind: z.literal('no_records'), of: count, before: count }),
  z.object({ kind: z.literal('record_share'), now: share, before: share }),
  z.object({ kind: z.literal('field'), field: z.enum(watchedFields), now: share, before: share }),
  z.object({ kind: z.literal('prices'), times: z.number().positive(), isLower: z.boolean() }),
  z.object({ kind: z.literal('missing'), now: count, of: count }),
]);

export type Oddity = z.infer<typeof oddity>;

const names: Record<WatchedField, string> = {
  title: 'a title of their own',
  price: 'a price',
  description: 'a description',
  images: 'images',
  place: 'a place',
  facts: 'facts',
};

/** What is odd as a sentence, as runs keep it for administrators. */
export function describeOddity(odd: Oddity): string {
  if (odd.kind === 'records') return `It found ${odd.now} records, where earlier runs found about ${odd.before}.`;
  if (odd.kind === 'missed_pages') return `${odd.now} of its ${odd.of} pages are gone or could not be read.`;
  if (odd.kind === 'no_records')
    return `It found no record on ${odd.of} pages, where an earlier run found ${odd.before}.`;
  if (odd.kind === 'record_share')
    return `${percent(odd.now)} of its pages hold a record, where ${percent(odd.before)} did before.`;
  if (odd.kind === 'field')
    return `${percent(odd.now)} of its records have ${names[odd.field]}, where ${percent(odd.before)} did before.`;
  if (odd.kind === 'missing') return `${odd.now} of its ${odd.of} listings are missing from the feed.`;
  const times = odd.times >= 10 ? odd.times.toFixed(0) : odd.times.toFixed(1);
  return `Its prices are ${times} times ${odd.isLower ? 'lower' : 'higher'} than before.`;
}

const percent = (of: number) => `${Math.round(100 * of)} %`;
