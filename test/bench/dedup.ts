import { MERGED_FROM, DETECTED_FROM } from '../../shared/dedup/cap-score.ts';
import { parseModel, shippedModel } from '../../shared/dedup/score.ts';
import { readLabelled, readStock } from './dedup-data.ts';
import { figuresOf, show } from './dedup-figures.ts';
import { findDuplicates, groupAll } from './dedup-find.ts';
import { calibrate, foldsOf, learn, measure, type Measured } from './dedup-learn.ts';
import { reportScan } from './dedup-scan.ts';
import type { BenchOptions } from './run.ts';

/** More than this between what is found with weights that know a set and with weights that do not is a defect. */
const MAX_GAP = 0.08;
/** The least figures on sets that the weights were not learnt from. */
const targets = new Map<string, Record<string, number>>([
  ['dedup-abt-buy', { precision: 0.9, f1: 0.65 }],
  ['dedup-amazon-google', { precision: 0.9, f1: 0.65 }],
  ['dedup-shopee-matching', { precision: 0.95, recall: 0.35 }],
]);
const MIN_BLOCKING_RECALL = 0.9;
/** The largest share of dealers' identical stock that may be shown as duplicates. */
const MAX_SUGGESTED = 0.01;

/**
 * Measures duplicate detection on labelled offers at the one threshold that is shipped, with the shipped weights (`seen`) and
 * with weights that the other sets have taught (`unseen`; of the set with images, the other half of its products too); counts
 * the pairs that would be merged by themselves and are wrong, which has to be none; and compares the cost of a scan of `n`
 * listings with that of a tenth of them.
 */
export async function benchDedup({ n = 100_000 }: BenchOptions = {}): Promise<void> {
  console.log(`links from ${DETECTED_FROM} on`);
  const left = foldsOf(readLabelled().map(measure)).map(({ measured, folds }) => ({
    measured,
    folds: folds.map((fold) => {
      const weights = learn(fold.others);
      return { ...fold, weights, model: parseModel(weights) };
    }),
  }));
  const all = left.flatMap(({ folds }) => folds);
  for (const { measured, folds } of left) {
    const figures = (modelOf: (fold: (typeof folds)[number]) => typeof shippedModel) =>
      figuresOf(folds.map((fold) => linksBy(fold.unseen, modelOf(fold))));
    const seen = figures(() => shippedModel);
    // An unseen set takes no part in the calibration that it is measured with.
    const unseen = figures((fold) => {
      const others = all.filter(({ unseen: { set } }) => set.name !== measured.set.name);
      return parseModel(calibrate(fold.weights, others));
    });
    report(measured, { whole: figuresOf([linksBy(measured, shippedModel)]), seen, unseen });
  }
  reportStock();
  await reportScan(n);
}

const linksBy = (measured: Measured, model: typeof shippedModel) => ({
  measured,
  links: groupAll(measured.compared, model).links,
});

type Figures = ReturnType<typeof figuresOf>;

function report(
  { set, compared }: Measured,
  { whole, seen, unseen }: Record<'whole' | 'seen' | 'unseen', Figures>,
): void {
  const { candidates, seconds } = compared;
  const hits = candidates.filter(([one, other]) =>
    set.matches.has(one < other ? `${one} ${other}` : `${other} ${one}`),
  );
  const recall = hits.length / set.matches.size;
  const reach =
    countConnected(set.subjects.length, hits) / countConnected(set.subjects.length, [...set.matches].map(endsOf));
  console.log(
    `${set.name}: ${set.subjects.length} listings, ${(candidates.length / set.subjects.length).toFixed(1)} candidates each`,
  );
  console.log(
    `  blocking recall ${recall.toFixed(3)}, through other matches ${reach.toFixed(3)} (at least ${MIN_BLOCKING_RECALL}: ${told(recall >= MIN_BLOCKING_RECALL)}), ${(seconds.blocking + seconds.comparing).toFixed(1)} s`,
  );
  const goals = Object.entries(targets.get(set.name) ?? {});
  const isMet = goals.every(([figure, least]) => unseen[figure as 'f1'] >= least);
  console.log(`  whole   ${show(whole)}`);
  console.log(`  seen    ${show(seen)}`);
  console.log(
    `  unseen  ${show(unseen)}${goals.length > 0 ? `  (at least ${goals.map((goal) => goal.join(' ')).join(', ')}: ${told(isMet)})` : ''}`,
  );
  const gap = Math.max(Math.abs(seen.precision - unseen.precision), Math.abs(seen.f1 - unseen.f1));
  console.log(`  gap ${gap.toFixed(3)} (at most ${MAX_GAP}: ${told(gap <= MAX_GAP)})`);
  const wrong = whole.wrongMerges + unseen.wrongMerges;
  console.log(`  ${wrong} wrong pairs would be merged by themselves (at most 0: ${told(wrong === 0)})`);
}

const endsOf = (pair: string) => pair.split(' ').map(Number) as [number, number];

/** How many pairs of listings are joined by a path of these pairs. */
function countConnected(listings: number, pairs: readonly (readonly [number, number])[]): number {
  const component = Array.from({ length: listings }, (_, at) => [at]);
  for (const [one, other] of pairs) {
    const [a = [], b = []] = [component[one], component[other]];
    if (a === b) continue;
    const [fewer, more] = a.length < b.length ? [a, b] : [b, a];
    for (const member of fewer) component[member] = more;
    more.push(...fewer);
  }
  return new Set(component).values().reduce((sum, { length }) => sum + (length * (length - 1)) / 2, 0);
}

const told = (isMet: boolean) => (isMet ? 'met' : 'MISSED');

function reportStock(): void {
  const subjects = readStock();
  if (!subjects) return;
  const { links, groups, candidates, seconds } = findDuplicates(subjects);
  const merged = links.filter(({ score }) => score >= MERGED_FROM).length;
  const suggested = groups.flatMap(({ members }) => members).length / subjects.length;
  console.log(
    `boats-boattrader-2019: ${subjects.length} listings, ${candidates.length} pairs compared, ${groups.length} groups shown, ${seconds.toFixed(1)} s`,
  );
  console.log(`  ${merged} pairs would be merged by themselves (at most 0: ${told(merged === 0)})`);
  console.log(
    `  ${(100 * suggested).toFixed(2)} % of them are shown (at most ${100 * MAX_SUGGESTED} %: ${told(suggested <= MAX_SUGGESTED)})`,
  );
}
