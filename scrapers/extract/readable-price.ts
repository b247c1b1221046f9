import { chooseAmong } from './choice-model.ts';
import type { Features, Weights } from './choice-model.ts';
import type { Layout } from './layout.ts';
import { findPriceCandidates } from './price-candidates.ts';
import { priceFeatures } from './price-features.ts';
import priceWeights from './price-weights.json' with { type: 'json' };
import type { DomElement } from '../../shared/kit/html/dom.ts';

/** From this probability on an amount is the price asked: right in nine of ten pages of sites that nothing was learnt from. */
const MIN_PROBABILITY = 0.5;
/** What of a place says that another sum stands there, or one that is no longer asked. */
const FORMER = ['struck', 'label-former', 'named-former'];
const OTHER = [
  ...FORMER,
  ...['hidden', 'cell', 'away'],
  ...['label', 'after', 'row', 'section', 'named'].flatMap((place) => [`${place}-carriage`, `${place}-rate`]),
];

/** A price printed on a page: how probably it is the one asked, and in how many places it stands that are plainly about it. */
export type ShownPrice = { text: string; amount: number; hasSign: boolean; probability: number; places: number };

/** What a page prints of prices: the one it asks, every amount that nothing calls a former one, and those that are called so. */
export type ShownPrices = { asked?: ShownPrice; amounts: Set<number>; former: Set<number> };

/**
 * The price the page itself asks, as printed: of all amounts the one whose places a model holds for the right ones, learnt
 * from pages whose markup names the price. None when it is in doubt, as on lists. `buttons` are those that buy.
 */
export function readShownPrices(
  layout: Layout,
  buttons: readonly DomElement[],
  weights: Weights = priceWeights,
): ShownPrices {
  const candidates = findPriceCandidates(layout);
  const features = priceFeatures(layout, candidates, buttons);
  const probabilities = chooseAmong(features, weights);
  const shown: ShownPrices = { amounts: new Set(), former: new Set() };
  const byAmount = new Map<number, ShownPrice & { best: number }>();
  for (const [index, { amount, text, hasSign }] of candidates.entries()) {
    const [own, probability] = [features[index], probabilities[index]];
    if (!own || probability === undefined) continue;
    (saysAny(own, FORMER) ? shown.former : shown.amounts).add(amount);
    const price = byAmount.get(amount) ?? { text, amount, hasSign, probability: 0, places: 0, best: -1 };
    // A sign tells the currency.
    const rank = probability + (hasSign ? 1 : 0);
    if (rank > price.best) Object.assign(price, { text, hasSign, best: rank });
    price.probability += probability;
    if (!saysAny(own, OTHER)) price.places += 1;
    byAmount.set(amount, price);
  }
  const [asked] = [...byAmount.values()].toSorted((a, b) => b.probability - a.probability);
  if (asked && asked.probability >= MIN_PROBABILITY) {
    const { text, amount, hasSign, probability, places } = asked;
    shown.asked = { text, amount, hasSign, probability, places };
  }
  return shown;
}

function saysAny(features: Features, names: readonly string[]): boolean {
  return names.some((name) => features.has(name));
}
