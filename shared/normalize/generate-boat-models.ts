// Writes db/seed/boat-models.tsv: npm run generate:boat-models -- CSV.gz with the columns make and model
import { readFileSync, writeFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';

/** So many models make a single word a series of its maker. */
const MIN_MODELS = 3;
const MIN_LETTERS = 5;
const NO_MAKER = /^(?:(?:custom|other|unknown)$|\d)|\//i;

const [, , csv = ''] = process.argv;
const [head = '', ...lines] = gunzipSync(readFileSync(csv)).toString('utf8').trim().split(/\r?\n/);
const columns = head.split(',');
const models = new Map<string, Set<string>>();
for (const cells of lines.map((line) => line.split(','))) {
  const [make = '', model = ''] = ['make', 'model'].map((name) => cells[columns.indexOf(name)]?.trim());
  if (make === '' || NO_MAKER.test(make)) continue;
  models.set(make, (models.get(make) ?? new Set()).add(model));
}
const seriesOf = (make: string) => {
  const counts = new Map<string, number>();
  for (const model of models.get(make) ?? []) {
    const all = model.split(' ');
    const number = all.findIndex((word) => /\d|^\P{L}/u.test(word));
    const words = (number < 0 ? all : all.slice(0, number)).join(' ');
    if (words !== '') counts.set(words, (counts.get(words) ?? 0) + 1);
  }
  return [...counts]
    .filter(([words, count]) => words.includes(' ') || (count >= MIN_MODELS && words.length >= MIN_LETTERS))
    .map(([words]) => words);
};
const rows = [...models.keys()].toSorted().map((make) => ({ make, series: seriesOf(make) }));
const makersOf = Map.groupBy(
  rows.flatMap(({ make, series }) => series.map((each) => ({ make, key: each.toLowerCase() }))),
  ({ key }) => key,
);
writeFileSync(
  new URL('../../db/seed/boat-models.tsv', import.meta.url),
  rows
    .map(({ make, series }) => {
      const own = series.filter((each) => makersOf.get(each.toLowerCase())?.length === 1 && each !== make);
      return `${[make, ...(own.length > 0 ? [own.join('|')] : [])].join('\t')}\n`;
    })
    .join(''),
);
