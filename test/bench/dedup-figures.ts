import { MERGED_FROM } from '../../shared/dedup/cap-score.ts';
import type { Link } from '../../shared/dedup/cluster.ts';
import type { Model } from '../../shared/dedup/score.ts';
import { groupAll } from './dedup-find.ts';
import { truthOf, type Measured } from './dedup-learn.ts';

/** What a model finds of a set at the threshold that is shipped. */
export type Figures = { precision: number; recall: number; f1: number; wrongMerges: number };

const placesOf = ({ set }: Measured) => new Map(set.subjects.map(({ id }, at) => [id, at]));

/** Counts linked pairs; of those whose truth nobody has told none counts. */
export function figuresOf(found: readonly { measured: Measured; links: readonly Link[] }[]): Figures {
  let [right, wrong, wrongMerges, all] = [0, 0, 0, 0];
  for (const { measured, links } of found) {
    const places = placesOf(measured);
    all += measured.set.matches.size;
    for (const { first, second, score } of links) {
      const isMatch = truthOf(measured.set, places.get(first) ?? -1, places.get(second) ?? -1);
      if (isMatch === true) right += 1;
      if (isMatch === false) wrong += 1;
      if (isMatch !== true && score >= MERGED_FROM) wrongMerges += 1;
    }
  }
  const [precision, recall] = [right / (right + wrong || 1), right / (all || 1)];
  return { precision, recall, f1: (2 * precision * recall) / (precision + recall || 1), wrongMerges };
}

/** Prints what a model finds of a measured set at some thresholds. */
export function tellFigures(title: string, measured: Measured, model: Model): void {
  const [least = 0] = thresholds;
  const { links } = groupAll(measured.compared, model, least);
  const shown = thresholds.map((threshold) => {
    const found = figuresOf([{ measured, links: links.filter(({ score }) => score >= threshold) }]);
    return `${threshold}: ${show(found)}`;
  });
  console.log(`${title.padEnd(30)} ${shown.join('  ')}`);
}

const thresholds = [0.7, 0.75, 0.8, 0.85, 0.9];

export const show = ({ precision, recall, f1 }: Figures) =>
  `P ${precision.toFixed(3)} R ${recall.toFixed(3)} F1 ${f1.toFixed(3)}`;
