import { MERGED_FROM } from '../../shared/dedup/cap-score.ts';
import { pairKey, readAbtBuy, readAmazonGoogle, readShopee, readStock, type Labelled } from './dedup-data.ts';
import { findDuplicates, type Found } from './dedup-find.ts';
import { reportScan } from './dedup-scan.ts';
import type { BenchOptions } from './run.ts';

/**
 * Measures precision, recall and blocking recall of duplicate detection on labelled offers, all at the one default threshold;
 * counts the pairs of identical dealer stock that would be merged by themselves, which has to be none; and compares the cost
 * of a scan of `n` listings with that of a tenth of them.
 */
export async function benchDedup({ n = 100_000 }: BenchOptions = {}): Promise<void> {
  for (const [load, target] of [
    [readAbtBuy, { f1: 0.75 }],
    [readAmazonGoogle, { f1: 0.65 }],
    [readShopee, { precision: 0.95, recall: 0.3 }],
  ] as const) {
    const set = load();
    if (set) report(set, findDuplicates(set.subjects, set.across), target);
  }
  reportStock();
  await reportScan(n);
}

function report({ name, subjects, matches, told }: Labelled, found: Found, target: Record<string, number>): void {
  const positions = new Map(subjects.map(({ id }, index) => [id, index]));
  const at = (id: string) => positions.get(id) ?? -1;
  const hits = found.candidates.filter(([one, other]) => matches.has(pairKey(one, other))).length;
  const linked = found.links.map(({ first, second }) => pairKey(at(first), at(second)));
  const grouped = found.groups.flatMap(({ members }) =>
    members.flatMap((one, index) => members.slice(index + 1).map((other) => pairKey(at(one), at(other)))),
  );
  console.log(
    `${name}: ${subjects.length} listings, ${found.candidates.length} pairs compared, blocking recall ${(hits / matches.size).toFixed(3)}, ${found.seconds.toFixed(1)} s`,
  );
  for (const [what, pairs] of [
    ['pairs', linked],
    ['groups', grouped],
  ] as const) {
    const right = pairs.filter((pair) => matches.has(pair)).length;
    // The labels that are kept aside count as found in the same share as those that are here.
    const precision = right / told / (pairs.length || 1);
    const recall = right / matches.size;
    const figures = { precision, recall, f1: (2 * precision * recall) / (precision + recall || 1) };
    const isMet = Object.entries(target).every(([figure, least]) => figures[figure as keyof typeof figures] >= least);
    const shown = Object.entries(figures).map(([figure, value]) => `${figure} ${value.toFixed(3)}`);
    const wanted = Object.entries(target).map(([figure, least]) => `${figure} ${least}`);
    console.log(
      `  ${what.padEnd(6)} ${shown.join('  ')}  (at least ${wanted.join(', ')}: ${isMet ? 'met' : 'MISSED'})`,
    );
  }
}

function reportStock(): void {
  const subjects = readStock();
  if (!subjects) return;
  const { links, groups, candidates, seconds } = findDuplicates(subjects);
  const merged = links.filter(({ score }) => score >= MERGED_FROM).length;
  console.log(
    `boats-boattrader-2019: ${subjects.length} listings, ${candidates.length} pairs compared, ${groups.length} groups shown, ${seconds.toFixed(1)} s`,
  );
  console.log(`  ${merged} pairs would be merged by themselves (at most 0: ${merged === 0 ? 'met' : 'MISSED'})`);
}
