const MAX_CACHED = 2_000;
/** From this length on V8 keeps a slice as a view of its whole text; it is copied then. */
const MIN_SLICE_LENGTH = 13;

/**
 * Memoises a function of a text with a bounded cache, for what costs more than a lookup: the same words, names and
 * addresses come on every page of a site. Answers are shared and must not be changed.
 */
export function memoizeText<T>(find: (text: string) => T): (text: string) => T {
  let known = new Map<string, T>();
  return (text) => {
    const before = known.get(text);
    if (before !== undefined || known.has(text)) return before as T;
    const answer = find(text);
    if (known.size >= MAX_CACHED) known = new Map();
    known.set(text.length < MIN_SLICE_LENGTH ? text : copyOf(text), answer);
    return answer;
  };
}

const copyOf = (text: string): string => ` ${text}`.slice(1);
