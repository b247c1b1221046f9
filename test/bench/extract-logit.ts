/** Alternatives of one choice, each with its features, and which of them are right; none right means that none should be chosen. */
export type Choice = { group: string; alternatives: ReadonlyMap<string, number>[]; isRight: boolean[] };

/** Weights by feature name; `none` is the score of choosing none. */
export type LogitWeights = Record<string, number>;

const STEPS = 250;
const RATE = 0.1;

type Rows = {
  names: string[];
  choices: { rows: { at: number[]; value: number[] }[]; isRight: boolean[]; weight: number }[];
};

/**
 * Conditional (multinomial) logit with a ridge, by Adam on the whole set: the likelihood of each choice is the sum over its
 * right alternatives; the ridge draws to the weights of `prior`, else to 0. A group weighs as the square root of its size;
 * features of fewer than `minGroups` groups are left out. The same for the same choices.
 */
export function fitLogit(
  choices: readonly Choice[],
  ridge: number,
  minGroups: (name: string) => number,
  prior: LogitWeights = {},
): LogitWeights {
  const { names, choices: rows } = encode(choices, minGroups, prior);
  const expected = Float64Array.from(names, (name) => prior[name] ?? 0);
  const weights = expected.slice();
  const [mean, spread, gradient] = [0, 1, 2].map(() => new Float64Array(names.length)) as [
    Float64Array,
    Float64Array,
    Float64Array,
  ];
  const total = rows.reduce((sum, { weight }) => sum + weight, 0);
  for (let step = 1; step <= STEPS; step++) {
    for (let at = 0; at < names.length; at++)
      gradient[at] = ((weights[at] ?? 0) - (expected[at] ?? 0)) * ridge * (names[at] === 'none' ? 0 : 1);
    for (const { rows: alternatives, isRight, weight } of rows) {
      const scores = alternatives.map(({ at, value }) =>
        at.reduce((sum, each, index) => sum + (weights[each] ?? 0) * (value[index] ?? 0), 0),
      );
      const top = Math.max(...scores);
      const raised = scores.map((score) => Math.exp(score - top));
      const sum = raised.reduce((all, each) => all + each, 0);
      const right = raised.reduce((all, each, index) => all + (isRight[index] ? each : 0), 0);
      for (const [index, { at, value }] of alternatives.entries()) {
        const error =
          ((raised[index] ?? 0) / sum - (isRight[index] ? (raised[index] ?? 0) / right : 0)) * (weight / total);
        if (Math.abs(error) < 1e-9) continue;
        for (const [place, each] of at.entries()) gradient[each] = (gradient[each] ?? 0) + error * (value[place] ?? 0);
      }
    }
    const rate = RATE * (1 - step / (STEPS + 1));
    for (let at = 0; at < names.length; at++) {
      const slope = gradient[at] ?? 0;
      mean[at] = 0.9 * (mean[at] ?? 0) + 0.1 * slope;
      spread[at] = 0.98 * (spread[at] ?? 0) + 0.02 * slope * slope;
      const move = (mean[at] ?? 0) / (1 - 0.9 ** step) / (Math.sqrt((spread[at] ?? 0) / (1 - 0.98 ** step)) + 1e-6);
      weights[at] = (weights[at] ?? 0) - rate * move;
    }
  }
  return Object.fromEntries(
    names
      .map((name, at) => [name, Math.round((weights[at] ?? 0) * 100) / 100] as const)
      .filter(([, weight]) => weight !== 0),
  );
}

function encode(choices: readonly Choice[], minGroups: (name: string) => number, prior: LogitWeights): Rows {
  const seen = new Map<string, Set<string>>();
  const sizes = new Map<string, number>();
  for (const { group, alternatives } of choices) {
    sizes.set(group, (sizes.get(group) ?? 0) + 1);
    for (const name of alternatives.flatMap((features) => [...features.keys()])) {
      const groups = seen.get(name);
      if (groups) groups.add(group);
      else seen.set(name, new Set([group]));
    }
  }
  const common = [...seen].filter(([name, groups]) => groups.size >= minGroups(name)).map(([name]) => name);
  const names = [...new Set(['none', ...Object.keys(prior), ...common])];
  const places = new Map(names.map((name, at) => [name, at]));
  const none = { at: [0], value: [1] };
  return {
    names,
    choices: choices.map(({ group, alternatives, isRight }) => ({
      rows: [none, ...alternatives.map((features) => encodeRow(features, places))],
      isRight: [!isRight.includes(true), ...isRight],
      weight: (sizes.get(group) ?? 1) ** -0.5,
    })),
  };
}

function encodeRow(
  features: ReadonlyMap<string, number>,
  places: ReadonlyMap<string, number>,
): { at: number[]; value: number[] } {
  const known = [...features].flatMap(([name, value]) => {
    const at = places.get(name);
    return at === undefined ? [] : [{ at, value }];
  });
  return { at: known.map(({ at }) => at), value: known.map(({ value }) => value) };
}
