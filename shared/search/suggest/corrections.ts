import type { Pool } from 'pg';
import { editsOf, type Edit } from '../query/edits.ts';

/** Words this long are corrected to what is searched for; to what only titles say from MIN_TITLE_LENGTH on. */
const MIN_LENGTH = 4;
const MIN_TITLE_LENGTH = 5;
/** The edits of longer texts are too many to look for: their words are corrected one by one. */
const MAX_LENGTH = 40;
const MAX_CORRECTIONS = 3;
/** How much more popular a correction has to be that changes the first letter: about e times for every four. */
const FIRST_LETTER = 4;
/** From so many completions on a prefix is as good as another. */
const ENOUGH = 40;

type Correction = Edit & { isLong: boolean };
type Row = { text: string; popularity: number | null; titles: number };

/**
 * Spelling correction of a prefix: the likeliest texts at Damerau-Levenshtein distance 1 of a folded text that some frequent
 * search or, where none has one, some title begins with; at most three. Numbers are never corrected. `whole` asks for
 * texts that end a word; `searchesOnly` leaves titles out.
 */
export async function correctPrefix(
  pool: Pool,
  text: string,
  { whole = false, searchesOnly = false }: { whole?: boolean; searchesOnly?: boolean } = {},
): Promise<string[]> {
  const edits = text.length > MAX_LENGTH ? [] : editsOfText(text);
  if (edits.length === 0) return [];
  const { rows } = await pool.query<Row>({
    ...statement,
    values: [
      text,
      edits.map((edit) => edit.text + (whole ? ' ' : '')),
      edits.map(({ at }) => at),
      edits.map(({ isLong }) => isLong && !searchesOnly),
    ],
  });
  const isSearched = rows.some(({ popularity }) => popularity !== null);
  return rows
    .filter(({ popularity, titles }) => (isSearched ? popularity !== null : titles > 0))
    .map((row) => ({
      text: row.text.trimEnd(),
      likelihood:
        (isSearched ? row.popularity! : 4 * Math.log(row.titles)) + (row.text[0] === text[0] ? FIRST_LETTER : 0),
    }))
    .sort((a, b) => b.likelihood - a.likelihood)
    .slice(0, MAX_CORRECTIONS)
    .map((each) => each.text);
}

/** The edits of each word of a text, and those of the blanks between and in them. */
function editsOfText(text: string): Correction[] {
  const different = new Map<string, Correction>();
  for (const { 0: word, index } of text.matchAll(/[^ ]+/g)) {
    if (/\d/.test(word)) continue;
    const [before, after] = [text.slice(0, index), text.slice(index + word.length)];
    for (const edit of [...editsOf(word), ...splitsOf(word)]) {
      const length = Math.max(word.length, edit.text.length);
      if (length < MIN_LENGTH) continue;
      const whole = before + edit.text + after;
      const isLong = length >= MIN_TITLE_LENGTH;
      different.set(whole, {
        text: whole,
        at: index + edit.at,
        isLong: isLong || different.get(whole)?.isLong === true,
      });
    }
  }
  for (const { index } of text.matchAll(/(?<=\p{L}) (?=\p{L})/gu)) {
    const joined = text.slice(0, index) + text.slice(index + 1);
    different.set(joined, { text: joined, at: index, isLong: true });
  }
  return [...different.values()];
}

/** A word as two words of two letters or more. */
const splitsOf = (word: string): Edit[] =>
  Array.from({ length: Math.max(0, word.length - 3) }, (_, start) => start + 2).map((at) => ({
    text: `${word.slice(0, at)} ${word.slice(at)}`,
    at,
  }));

/**
 * How far into a text some completion goes along with it: a text with an edit behind that is the beginning of none, and is not
 * looked for.
 */
const reach = (kind: 'titles' | 'terms') => `
  (select coalesce(max(n), 0) from generate_series(1, char_length($1)) as n
   where exists (select from suggestion_${kind} where start >= left($1, n) and start < left($1, n) || chr(1114111)))`;

const begins = 'start >= e.text and start < e.text || chr(1114111)';

const statement = {
  name: 'suggest-corrections',
  text: `
with reach as materialized (
    select ${reach('terms')} as terms, case when true = any($4::bool[]) then ${reach('titles')} else -1 end as titles),
  edits as materialized (select e.* from unnest($2::text[], $3::int[], $4::bool[]) as e (text, at, is_long)),
  searched as materialized (
    select e.text, best.popularity from edits e cross join lateral (
      select popularity from suggestion_terms where ${begins} order by popularity desc limit 1) as best
    where e.at <= (select terms from reach)),
  titled as materialized (
    select e.text, (select count(*)::int from (select from suggestion_titles where ${begins} limit ${ENOUGH}) as begun) as titles from edits e
    where e.is_long and e.at <= (select titles from reach) and not exists (select from searched))
select text, popularity, 0 as titles from searched
union all
select text, null, titles from titled where titles > 0`,
};
