/** What speaks for or against an alternative: values by feature name, most of them 0 or 1. */
export type Features = Map<string, number>;
/** Weights in log odds by feature name; `none` is the score of choosing none of the alternatives. */
export type Weights = Readonly<Record<string, number>>;

/**
 * Conditional (multinomial) logit: the probability of each alternative to be the right one, in their order. They add up to
 * what is left by the probability that none is. A feature without a weight says nothing.
 */
export function chooseAmong(alternatives: readonly Features[], weights: Weights): number[] {
  const none = weights.none ?? 0;
  const scores = alternatives.map((features) => {
    let score = 0;
    for (const [name, value] of features) if (Object.hasOwn(weights, name)) score += (weights[name] ?? 0) * value;
    return score;
  });
  const top = scores.reduce((most, score) => Math.max(most, score), none);
  const odds = scores.map((score) => Math.exp(score - top));
  const total = odds.reduce((sum, each) => sum + each, Math.exp(none - top));
  return odds.map((each) => each / total);
}

/**
 * The alternative that the model holds for the right one, with its odds against none at all as a probability, or undefined where
 * that is below `minimum`. The others do not count: where there are many unlikely ones the best of them is still the best.
 */
export function chooseBest<T extends { features: Features }>(
  alternatives: readonly T[],
  weights: Weights,
  minimum: number,
): { chosen: T; probability: number } | undefined {
  const probabilities = chooseAmong(
    alternatives.map(({ features }) => features),
    weights,
  );
  const none = 1 - probabilities.reduce((sum, each) => sum + each, 0);
  const best = probabilities.reduce((most, each) => Math.max(most, each), 0);
  const chosen = alternatives[probabilities.indexOf(best)];
  const probability = best / (best + none);
  return chosen && probability >= minimum ? { chosen, probability } : undefined;
}
