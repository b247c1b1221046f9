/** Two words of which the second comes `gap` places behind the first. */
export type Pair = { head: string; gap: number; tail: string };

/** The syntax tree of a tsquery over whole words. */
export type Tsquery =
  | { word: string }
  | { phrase: Pair[] }
  | { all: Tsquery[] }
  | { any: Tsquery[] }
  | { not: Tsquery };

const PIECE = /\s*(?:'((?:[^'\\]|''|\\.)*)'(:[*A-D]+)?|(<->|<\d+>|[&|!()]))/gy;

type Piece = { word: string } | { operator: string };

/** Parses the text form of a tsquery; undefined where it has more than whole words and phrases. */
export function parseTsquery(text: string): Tsquery | undefined {
  const pieces = split(text.trim());
  if (!pieces || pieces.length === 0) return undefined;
  let at = 0;
  const takes = (pattern: RegExp): string | undefined => {
    const piece = pieces[at];
    if (!piece || !('operator' in piece) || !pattern.test(piece.operator)) return undefined;
    at += 1;
    return piece.operator;
  };

  function join(
    operator: RegExp,
    part: () => Tsquery | undefined,
    put: (parts: Tsquery[]) => Tsquery,
  ): Tsquery | undefined {
    const parts: Tsquery[] = [];
    do {
      const next = part();
      if (!next) return undefined;
      parts.push(next);
    } while (takes(operator));
    return parts.length === 1 ? parts[0] : put(parts);
  }
  const any = (): Tsquery | undefined => join(/^\|$/, all, (parts) => ({ any: flatten(parts, 'any') }));
  const all = (): Tsquery | undefined => join(/^&$/, row, (parts) => ({ all: flatten(parts, 'all') }));

  function row(): Tsquery | undefined {
    const first = single();
    const pairs: Pair[] = [];
    for (let head = first, operator = takes(/^</); operator !== undefined; operator = takes(/^</)) {
      const tail = single();
      if (!head || !tail || !('word' in head) || !('word' in tail)) return undefined;
      pairs.push({ head: head.word, gap: operator === '<->' ? 1 : Number(operator.slice(1, -1)), tail: tail.word });
      head = tail;
    }
    return pairs.length === 0 ? first : { phrase: pairs };
  }

  function single(): Tsquery | undefined {
    if (takes(/^!$/)) {
      const query = single();
      return query && { not: query };
    }
    if (takes(/^\($/)) {
      const query = any();
      return takes(/^\)$/) ? query : undefined;
    }
    const piece = pieces?.[at];
    if (!piece || !('word' in piece)) return undefined;
    at += 1;
    return piece;
  }

  const query = any();
  return at === pieces.length ? query : undefined;
}

function split(text: string): Piece[] | undefined {
  const pieces: Piece[] = [];
  let end = 0;
  for (const match of text.matchAll(PIECE)) {
    const [whole, word, flags, operator] = match;
    if (flags !== undefined) return undefined;
    pieces.push(operator === undefined ? { word: plain(word ?? '') } : { operator });
    end = match.index + whole.length;
  }
  return end === text.length ? pieces : undefined;
}

const plain = (quoted: string) => quoted.replaceAll("''", "'").replaceAll(/\\(.)/gs, '$1');

const flatten = (parts: Tsquery[], kind: 'all' | 'any'): Tsquery[] =>
  parts.flatMap((part) => {
    const inner = (part as Partial<Record<typeof kind, Tsquery[]>>)[kind];
    return inner ?? [part];
  });
