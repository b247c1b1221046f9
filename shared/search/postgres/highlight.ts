import type { Pool } from 'pg';
import { LESS, markRuns, renderSnippet, renderTitle, START, STOP, type Highlight } from '../highlight.ts';

type Shown = { id: string; title: string; description: string };
type Asked = {
  /** The words as typed. */
  q: string;
  /** What has matched, as tsqueries: corrected, widened by synonyms, relaxed. Undefined where another engine has found the listings. */
  all: string | undefined;
  relaxed: string | undefined;
};

/** Longer texts are not looked through to their end. */
const MAX_TEXT_LENGTH = 20_000;
const marks = `StartSel=${START},StopSel=${STOP}`;
const titleOptions = `${marks},HighlightAll=true`;
const snippetOptions = `${marks},MaxFragments=2,MaxWords=32,MinWords=12,FragmentDelimiter=" … "`;

/**
 * The lexemes of what has matched, each an alternative of its own: ts_headline marks a text also where it has only some of them.
 * querytree leaves out what was excluded.
 */
const alternatives = `(select string_agg(distinct m[1] || case when m[2] like '%*%' then ':*' else '' end, ' | ')::tsquery
  from regexp_matches(querytree(coalesce($1::tsquery || coalesce($2::tsquery, ''::tsquery), search_query($3))), $re$('(?:[^']|'')*')(?::([*A-D]+))?$re$, 'g') as m)`;

/** Tags are no words of the text: what looks like one is a text as well. */
const plain = (column: string) => `translate(left(${column}, ${MAX_TEXT_LENGTH}), $4, $5)`;

const text = `select t.id, ts_headline('quayside', ${plain('t.title')}, a.query, $6) as title,
    ts_headline('quayside', ${plain('t.description')}, a.query, $7) as snippet
  from (select coalesce(${alternatives}, ''::tsquery) as query) as a, unnest($8::text[], $9::text[], $10::text[]) as t (id, title, description)`;

/** Highlights of the listings of a page (ts_headline), in the texts that are shown: one statement for all of them. */
export async function highlightPage(
  pool: Pool,
  { q, all, relaxed }: Asked,
  shown: readonly Shown[],
): Promise<Map<string, Highlight>> {
  if (shown.length === 0) return new Map();
  const { rows } = await pool.query<{ id: string; title: string; snippet: string }>({
    name: 'highlight-page',
    text,
    values: [
      all ?? null,
      relaxed ?? null,
      q,
      `<${START}${STOP}${LESS}`,
      LESS,
      titleOptions,
      snippetOptions,
      shown.map(({ id }) => id),
      shown.map(({ title }) => title),
      shown.map(({ description }) => description),
    ],
  });
  return new Map(
    rows.map(({ id, title, snippet }) => [
      id,
      { title: renderTitle(markRuns(title, q)), snippet: renderSnippet(markRuns(snippet, q)) },
    ]),
  );
}
