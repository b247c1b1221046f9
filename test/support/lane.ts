/** Lane `test` holds every guarantee, on samples where there is much to try; lane `soak` (`npm run test:soak`) tries all of it. */
export const isSoak = process.env['LANE'] === 'soak';

/** One seed for every run of lane `test`, so that a green commit stays green; each run of lane `soak` hunts with another (test/soak.ts). */
export const seed = Number(process.env['FC_SEED'] ?? 20_260_601);

/** How often something is repeated. */
export const times = (inTest: number, inSoak: number): number => (isSoak ? inSoak : inTest);

/** So many of them, evenly spread, another choice each turn (after all / count turns each was chosen once); in lane `soak` all of them. */
export function sample<T>(all: Iterable<T>, count: number, turn = 0): T[] {
  const items = [...all];
  if (isSoak || items.length <= count) return items;
  return Array.from({ length: count }, (_, index) => {
    const at = Math.floor((index * items.length) / count) + turn;
    return items[at % items.length]!;
  });
}

/** One of each kind, by turns; in lane `soak` all of them. */
export function sampleKinds<T>(all: Iterable<T>, kindOf: (item: T) => unknown, turn = 0): T[] {
  const items = [...all];
  if (isSoak) return items;
  return [...Map.groupBy(items, kindOf).values()].map((same) => same[turn % same.length]!);
}
