import { allOf, anyOf } from './search-question.ts';

/** A search that finds fewer listings with all of its words goes on to listings with most of them. */
export const ENOUGH = 10;

/** Of many words, those that tell listings apart best have to be there, most of them; others count in the order alone. */
const MAX_WORDS = 5;
/** Of words that so many listings use, only as many are asked for as make three: an index scan goes through all of them. */
const COMMON = 20_000;
const MAX_COMMON_WORDS = 3;

/**
 * The tsqueries that a search with too few matches goes on to, one after the other, each with the matches of those before it:
 * all words but one; but two; the two rarest words each alone. `words` are told with how many listings use them.
 */
export function stagesOf(words: readonly { query: string; uses: number }[]): string[] {
  const rarest = [...words]
    .sort((a, b) => a.uses - b.uses)
    .slice(0, MAX_WORDS)
    .filter(({ uses }, index) => uses < COMMON || index < MAX_COMMON_WORDS);
  const queries = rarest.map(({ query }) => query);
  if (queries.length < 2) return [];
  const most = [1, 2].filter((missing) => queries.length - missing >= 2).map((missing) => allBut(queries, missing));
  return [...most, anyOf([...most.slice(-1), ...queries.slice(0, 2)])];
}

/**
 * A tsquery for all of the words but so many at most, which are fewer than they. By halves: written out, the choices are many, and an index scan
 * looks at each for every listing that it meets.
 */
function allBut(queries: readonly string[], missing: number): string {
  if (missing === 0) return allOf(queries);
  if (queries.length - missing === 1) return anyOf(queries);
  const middle = Math.ceil(queries.length / 2);
  const [first, second] = [queries.slice(0, middle), queries.slice(middle)];
  const choices = Array.from({ length: missing + 1 }, (_, inFirst) => [
    ...(inFirst < first.length ? [allBut(first, inFirst)] : []),
    ...(missing - inFirst < second.length ? [allBut(second, missing - inFirst)] : []),
  ]);
  return anyOf(choices.map(allOf));
}
