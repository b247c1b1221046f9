import { readFileSync } from 'node:fs';
import { normalizePrice } from '../../shared/normalize/price.ts';
import { dataFile } from '../support/data.ts';
import { printFigures } from './extract-data.ts';

type PriceText = {
  group: string;
  beside: string | null;
  text: string;
  amount: number | null;
  currency_printed: string | null;
};
type Verdict = 'right' | 'wrong' | 'none';

const TARGET = 0.94;
const MAX_WRONG = 0.004;
const TOLERANCE = 0.006;
const SHOWN = 12;
/** A group whose failures nobody looks at. */
const GROUP_KEPT_ASIDE = 'examples_2';

/**
 * Prices as shops print them: the share whose amount is read right, and wrong, over the groups that rules may be written from and
 * over one that is left out. Prints failures of the first only.
 */
export async function benchPriceTexts(): Promise<void> {
  const path = dataFile('price-texts/price-texts.jsonl');
  if (path === undefined) return;
  const rows = readFileSync(path, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as PriceText)
    .map((row) => ({ ...row, verdict: judge(row) }));
  const seen = rows.filter(({ group }) => group !== GROUP_KEPT_ASIDE);
  const groups = [...new Set(rows.map(({ group }) => group))];
  printShares('all', rows);
  printShares('seen', seen);
  for (const group of groups) {
    const note = group === GROUP_KEPT_ASIDE ? ', unseen' : '';
    printShares(
      `group ${group}${note}`,
      rows.filter((row) => row.group === group),
    );
  }
  for (const verdict of ['wrong', 'none'] as const) {
    const failed = seen.filter((row) => row.verdict === verdict);
    for (const { text, beside, amount } of failed.slice(0, SHOWN))
      console.log(`      ${verdict}: ${JSON.stringify(text)} beside ${JSON.stringify(beside)} is ${String(amount)}`);
    if (failed.length > SHOWN) console.log(`      ${verdict}: ${failed.length - SHOWN} more`);
  }
}

/** A second try with a named currency counts where none is printed: a site's own is known. */
function judge({ text, beside, amount, currency_printed: printed }: PriceText): Verdict {
  const currency = beside ?? undefined;
  const found =
    normalizePrice(text, { currency }) ?? (printed === null ? normalizePrice(text, { currency: 'EUR' }) : undefined);
  if (!found) return amount === null ? 'right' : 'none';
  return amount !== null && Math.abs(found.amount - amount) <= TOLERANCE ? 'right' : 'wrong';
}

function printShares(name: string, rows: { verdict: Verdict }[]): void {
  const share = (verdict: Verdict) => rows.filter((row) => row.verdict === verdict).length / rows.length;
  printFigures(`price texts, ${name}: ${rows.length}`, [
    { name: 'right', value: share('right'), target: TARGET },
    { name: 'not wrong', value: 1 - share('wrong'), target: 1 - MAX_WRONG },
  ]);
}
