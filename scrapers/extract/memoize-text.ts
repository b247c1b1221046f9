const MAX_CACHED = 2_000;
/** Parts of a text as long as this keep the whole of it in memory. */
const MIN_SLICE_LENGTH = 13;

/**
 * The same function of a text, with its latest answers kept: the same words, names and addresses come back on every page of
 * a site. For what takes longer than looking it up, and for short texts. Answers are shared, so nobody may change them.
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
