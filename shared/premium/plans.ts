import { addMilliseconds, DAY_MS } from '../kit/clock.ts';
import type { Config } from '../kit/config.ts';

export type Plan = 'featured' | 'urgent';
export type Duration = 7 | 30;

/** A paid promotion of a listing; over at the very moment of `until`. */
export type Promotion = { type: Plan; until: Date };
export type Purchase = { plan: Plan; durationDays: number; at: Date };

/** What a plan costs, in cents of the currency in which all plans are sold. */
export function priceOfPlan({ payments }: Pick<Config, 'payments'>, plan: Plan, duration: Duration) {
  return { amountCents: payments.pricesInCents[plan][duration], currency: payments.currency };
}

/** How a provider's page and ours call what is bought. */
export function nameOf(plan: Plan, durationDays: number): string {
  return `${plan === 'featured' ? 'Featured' : 'Urgent'} listing for ${durationDays} days`;
}

/**
 * A promotion after one more purchase: the same plan lasts longer, the other one takes over and never ends earlier than what
 * was paid for before; where none is running, the plan runs from the purchase on.
 */
export function promote(current: Promotion | undefined, { plan, durationDays, at }: Purchase): Promotion {
  const lasts = durationDays * DAY_MS;
  const alone = addMilliseconds(at, lasts);
  if (!current || current.until <= at) return { type: plan, until: alone };
  if (current.type === plan) return { type: plan, until: addMilliseconds(current.until, lasts) };
  return { type: plan, until: current.until > alone ? current.until : alone };
}

/** The promotion that these purchases, oldest first, come to. */
export function promotionOf(purchases: readonly Purchase[]): Promotion | undefined {
  return purchases.reduce<Promotion | undefined>(promote, undefined);
}
