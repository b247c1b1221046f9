import type { HistoryEntry } from '../../shared/admin/listing-record.ts';
import type { Result } from '../http/types.ts';
import { presentCategory, type View } from '../listings/present.ts';

type Entry = Result<'getListingRecord', 200>['history'][number];

/** Columns that change with every event, or tell nobody anything. */
const silent = new Set(['updated_at', 'version', 'content_hash', 'geocoded', 'lat', 'lng', 'year', 'length_m']);
/** Columns that are set with a status, which tells of them. */
const ofStatus = new Set(['published_at', 'expires_at', 'sold_at', 'sale_price', 'sale_currency', 'buyer_id']);
/** What a column is called where it is shown. */
const nameOf = new Map([
  ['category_id', 'category'],
  ['price_amount', 'price'],
  ['price_currency', 'price'],
  ['price_negotiable', 'negotiable'],
  ['premium_type', 'promotion'],
  ['premium_until', 'promotion'],
]);

/** The history of a listing in words: what was changed, from what to what where the journal keeps that, when and by whom. */
export function presentHistory(entries: readonly HistoryEntry[], view: View): Entry[] {
  return entries.map(({ seq, type, created_at, data, previous, fields, actor }) => {
    const told = Object.keys(previous ?? {});
    const isTold = (name: string) => !silent.has(name) && !(told.includes('status') && ofStatus.has(name));
    const columns = (fields ?? []).filter(isTold).map((name) => nameOf.get(name) ?? name);
    const names = new Set([...told.map((name) => nameOf.get(name) ?? name), ...columns]);
    return {
      seq,
      type,
      at: created_at.toISOString(),
      actor,
      changes: [...names].map((name) => ({
        field: name,
        before: wordOf(name, previous, view),
        after:
          told.includes(name) || (name === 'category' && told.includes('category_id'))
            ? wordOf(name, data, view)
            : null,
      })),
    };
  });
}

function wordOf(name: string, values: Record<string, unknown> | null, view: View): string | null {
  const value = values?.[name === 'category' ? 'category_id' : name];
  if (value === undefined || value === null) return null;
  if (name === 'price' && typeof value === 'object') return priceText(value);
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return name === 'category' ? presentCategory(text, view).path.join(' › ') : text;
}

function priceText({ amount, currency }: { amount?: number; currency?: string }): string {
  return amount === 0 ? 'on request' : `${amount ?? ''} ${currency ?? ''}`.trim();
}
