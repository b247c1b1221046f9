/** Two words of which the second comes `gap` places behind the first. */
export type Pair = { head: string; gap: number; tail: string };

/** A tsquery, as far as it asks for whole words. */
export type Query = { word: string } | { row: Pair[] } | { all: Query[] } | { any: Query[] } | { not: Query };

const PIECE = /\s*(?:'((?:[^'\\]|''|\\.)*)'(:[*A-D]+)?|(<->|<\d+>|[&|!()]))/gy;

type Piece = { word: string } | { operator: string };

/** Reads what PostgreSQL writes a tsquery as; undefined where it asks for anything but whole words and rows of them. */
export function readQuery(text: string): Query | undefined {
  const pieces = split(text.trim());
  if (!pieces || pieces.length === 0) return undefined;
  let at = 0;
  const takes = (pattern: RegExp): string | undefined => {
    const piece = pieces[at];
    if (!piece || !('operator' in piece) || !pattern.test(piece.operator)) return undefined;
    at += 1;
    return piece.operator;
  };

  function join(operator: RegExp, part: () => Query | undefined, put: (parts: Query[]) => Query): Query | undefined {
    const parts: Query[] = [];
    do {
      const next = part();
      if (!next) return undefined;
      parts.push(next);
    } while (takes(operator));
    return parts.length === 1 ? parts[0] : put(parts);
  }
  const any = (): Query | undefined => join(/^\|$/, all, (parts) => ({ any: flatten(parts, 'any') }));
  const all = (): Query | undefined => join(/^&$/, row, (parts) => ({ all: flatten(parts, 'all') }));

  function row(): Query | undefined {
    const first = single();
    const pairs: Pair[] = [];
    for (let head = first, operator = takes(/^</); operator !== undefined; operator = takes(/^</)) {
      const tail = single();
      if (!head || !tail || !('word' in head) || !('word' in tail)) return undefined;
      pairs.push({ head: head.word, gap: operator === '<->' ? 1 : Number(operator.slice(1, -1)), tail: tail.word });
      head = tail;
    }
    return pairs.length === 0 ? first : { row: pairs };
  }

  function single(): Query | undefined {
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

const flatten = (parts: Query[], kind: 'all' | 'any'): Query[] =>
  parts.flatMap((part) => {
    const inner = (part as Partial<Record<typeof kind, Query[]>>)[kind];
    return inner ?? [part];
  });
