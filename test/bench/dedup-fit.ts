import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseModel } from '../../shared/dedup/score.ts';
import { readLabelled } from './dedup-data.ts';
import { calibrate, foldsOf, learn, measure } from './dedup-learn.ts';
import { tellFigures } from './dedup-figures.ts';

const file = fileURLToPath(new URL('../../shared/dedup/weights.json', import.meta.url));

/**
 * Learns shared/dedup/weights.json from all labelled sets, calibrated on what each left-out set is scored by weights of the
 * others; tells what these find there, at the threshold that is shipped.
 */
export function benchDedupFit(): Promise<void> {
  const sets = readLabelled().map(measure);
  const left = foldsOf(sets).flatMap(({ folds }) =>
    folds.map((fold) => {
      const weights = learn(fold.others);
      return { ...fold, weights, model: parseModel(weights) };
    }),
  );
  const weights = calibrate(learn(sets), left);
  writeFileSync(file, `${JSON.stringify(weights, null, 2)}\n`);
  for (const { unseen, weights: own } of left)
    tellFigures(`unseen ${unseen.set.name}`, unseen, parseModel(calibrate(own, left)));
  for (const measured of sets) tellFigures(`seen   ${measured.set.name}`, measured, parseModel(weights));
  return Promise.resolve();
}
