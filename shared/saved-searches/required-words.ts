type Token = { kind: 'word'; word: string; isPrefix: boolean } | { kind: 'operator'; text: string };
/** Words of which every matching text has at least one; undefined when a text may match without any. */
type Anchors = readonly string[] | undefined;

/**
 * The required words of a tsquery: the fewest words of which every matching text has one. Of a conjunction those of its
 * best operand, of a disjunction those of all. Undefined for a query without certain words, such as one that only excludes.
 */
export function requiredWordsOf(query: string): Anchors {
  const tokens = readTokens(query);
  let at = 0;
  const takes = (...texts: string[]) => {
    const token = tokens[at];
    const isNext = token?.kind === 'operator' && texts.includes(token.text);
    if (isNext) at += 1;
    return isNext;
  };
  const readAny = (): Anchors => {
    let anchors = readAll();
    while (takes('|')) {
      const other = readAll();
      anchors = anchors && other && [...anchors, ...other];
    }
    return anchors;
  };
  const readAll = (): Anchors => {
    let anchors = readOne();
    while (takes('&', '<>')) anchors = surer(anchors, readOne());
    return anchors;
  };
  const readOne = (): Anchors => {
    if (takes('!')) {
      readOne();
      return undefined;
    }
    if (takes('(')) {
      const anchors = readAny();
      takes(')');
      return anchors;
    }
    const token = tokens[at];
    at += 1;
    return token?.kind === 'word' && !token.isPrefix ? [token.word] : undefined;
  };
  return readAny();
}

/** The more selective of two alternatives: fewer words, or longer ones. */
function surer(a: Anchors, b: Anchors): Anchors {
  if (!a || !b) return a ?? b;
  if (a.length !== b.length) return a.length < b.length ? a : b;
  return a.join('').length >= b.join('').length ? a : b;
}

/** PostgreSQL's text of a tsquery: words in quotes, which are doubled within, `<->` and `<2>` for words in a row. */
function readTokens(query: string): Token[] {
  const found = query.matchAll(
    /'(?<word>(?:''|\\\\|[^'\\])*)'(?<marks>:[*A-D]+)?|(?<sequence><[^<>]*>)|(?<operator>[!&|()])/gsu,
  );
  return [...found].map(({ groups = {} }): Token => {
    const { word, marks, sequence, operator = '' } = groups;
    if (word === undefined) return { kind: 'operator', text: sequence === undefined ? operator : '<>' };
    return {
      kind: 'word',
      word: word.replaceAll("''", "'").replaceAll('\\\\', '\\'),
      isPrefix: marks?.includes('*') ?? false,
    };
  });
}
