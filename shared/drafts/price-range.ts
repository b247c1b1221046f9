import type { Pool } from 'pg';
import type { Catalog } from '../catalog/tree.ts';
import { readMarket } from '../pricing/market.ts';
import { readPriceSelection } from '../pricing/selection.ts';
import type { DraftText, ListingDraft } from './draft.ts';

const YEARS_AROUND = 3;
const NO_CURRENCY = 'EUR';

/** What things like the drafted one cost, by the listings there are; 0 to 0 when there are none. */
export async function estimatePriceRange(
  { pool, catalog }: { pool: Pool; catalog: Catalog },
  { category, condition, attributes }: DraftText,
  now: Date,
): Promise<ListingDraft['estimatedPriceRange']> {
  const { brand, model, year } = attributes;
  const attr = {
    ...(typeof brand === 'string' && { brand }),
    ...(typeof model === 'string' && { model }),
    ...(typeof year === 'number' && { min_year: String(year - YEARS_AROUND), max_year: String(year + YEARS_AROUND) }),
  };
  const { selection } = readPriceSelection({ category, condition, attr }, { catalog, listValidCategories: false });
  const { recommended, currency } = await readMarket(pool, selection, { now });
  const [min, max] = [recommended.low ?? 0, recommended.high ?? 0];
  return { min, max, currency: currency ?? NO_CURRENCY };
}
