import type { QueryTerm } from './document-frequencies.ts';
import type { Parameters } from '../postgres/statement.ts';
import type { QueryHead } from './position.ts';
import { localeWords, plainWord } from './stop-words.ts';

/**
 * What the head of a title is worth, as shares of the text's score: one that is the query's head (`same`) or another word
 * of it (`asked`), and that of a title which has the query's head only behind a "for" (`accessory`). Fitted on every other
 * query of one judged set and on queries of another that `npm run bench -- relevance` leaves out.
 */
const worth = { same: 0.3, asked: 0.04, accessory: -0.3 };

/** What the category adds to a score that most heads of the best matches fall in. */
const CATEGORY = 0.1;

const plain = (words: readonly string[]) => [...new Set(words.map(plainWord))];
const purposes = plain(localeWords.flatMap((each) => each.purposes));
const prepositions = new Set([...purposes, ...plain(localeWords.flatMap((each) => each.prepositions))]);

const NAME = /^\p{L}{2,}$/u;
const ENDING = /(?:ies|es|s|y|en|e|n)$/;

/** The word in singular and plural, as a regular expression without anchors. */
function inflect(word: string): string {
  const stem = word.length > 3 ? word.replace(ENDING, '') : word;
  return `${stem}(?:s|es|ses|e|en|n|y|ies)?`;
}

/** The head noun of a query: its last word before a preposition, numbers aside; undefined when it has none. */
export function findQueryHead(words: readonly QueryTerm[]): QueryHead | undefined {
  const typed = words.map((word) => plainWord(word.typed)).filter((word) => NAME.test(word));
  const names = typed.filter((word) => !prepositions.has(word));
  const from = typed.findIndex((word) => !prepositions.has(word));
  const end = typed.findIndex((word, index) => index > from && prepositions.has(word));
  const last = typed.slice(from, end < 0 ? undefined : end).at(-1);
  if (from < 0 || last === undefined) return undefined;
  return { last: inflect(last), any: [...new Set(names)].map(inflect).join('|') };
}

/** Where the name of a thing ends: a preposition, a comma, a bracket, a dash between blanks. */
const BOUNDARY = String.raw`\s(?:${[...prepositions].join('|')})\s|[,;:|(\[/]|\s[-–—]+\s`;
const PURPOSE = String.raw`\s(?:${purposes.join('|')})\s`;
/** Numbers, what has figures in it, single letters and the genitive are no names. */
const NAMELESS = String.raw`[^[:alnum:]]+|[[:alpha:]]*\d[[:alnum:]]*|''s\M|\m[[:alpha:]]\M`;

/**
 * Renders, for a row r with the title r.text, the share that its head adds to the score of its text. The head of a title is
 * its last word before a preposition, a comma or a bracket. The statement is the same whatever the query.
 */
export function renderHeadShare(head: QueryHead | undefined, parameter: Parameters): string {
  const pattern = (name: string, words: string | undefined, rest: string) =>
    `${parameter(`head-${name}`, words === undefined ? null : String.raw`\m(?:${words})${rest}`)}::text`;
  const isLast = `name ~ ${pattern('last', head?.last, String.raw`\s*$`)}`;
  const isAsked = `name ~ ${pattern('asked', head?.any, String.raw`\s*$`)}`;
  const names = (text: string) => `${text} ~ ${pattern('word', head?.last, String.raw`\M`)}`;
  return `(select case when ${isLast} then ${worth.same} when ${isAsked} then ${worth.asked} else 0 end
      + case when title ~ '${PURPOSE}' and ${names('title')} and not ${names(`left(title, regexp_instr(title, '${PURPOSE}'))`)}
        then ${worth.accessory} else 0 end
    from (select regexp_replace(case when at > 0 then left(title, at) else title end, '${NAMELESS}', ' ', 'g') as name, title
      from (select title, regexp_instr(title, '${BOUNDARY}') as at
        from (select ltrim(lower(unaccent(left(r.text, 200))), ' ([/|,:;-"') || ' ' as title offset 0) as a offset 0) as b offset 0) as c)::float8`;
}

/**
 * Renders the category that most rows of a table with the columns category_id and head_share fall in whose heads are the
 * query's, as a table (category_id); a position carries it on, so that no listing changes its place from page to page.
 */
export const favouredCategory = (table: string) => `
  select (select category_id from ${table} where head_share >= ${worth.same} group by category_id
    having 2 * count(*) > (select count(*) from ${table} where head_share >= ${worth.same})) as category_id`;

/** Renders the share that the favoured category adds to the score of a row r; needs the table `favoured`. */
export const categoryShare = `case when r.category_id = (select category_id from favoured) then ${CATEGORY} else 0 end`;
