/** A completion: a title or search (`subject`) from one of its words on. */
export type Completion = { subject: string; place: number; start: string; popularity: number };
export type FrequentPrefix = { prefix: string; best: readonly Completion[] };
type Node = { length: number; count: number; best: Completion[] };

/** A prefix with so many completions is frequent: its top completions are precomputed. */
export const FREQUENT_FROM = 40;
/** Completions kept per prefix: more than an answer shows, since some may change. */
const MAX_COMPLETIONS = 16;

/**
 * Collects frequent prefixes with their top-k completions from a sorted stream, as a walk over an implicit trie. `add` and
 * `end` answer those that are complete; memory holds one path of the trie.
 */
export function createPrefixCollector() {
  const open: Node[] = [{ length: 0, count: 0, best: [] }];
  let last: Completion | undefined;

  /** Closes the nodes of the last completion beyond its first `shared` letters. */
  function close(shared: number): FrequentPrefix[] {
    if (!last) return [];
    const complete: FrequentPrefix[] = [];
    let node: Node = { length: last.start.length, count: 1, best: [last] };
    for (let above = open.at(-1)!; above.length > shared; above = open.at(-1)!) {
      merge(above, node);
      node = above;
      open.pop();
      if (node.count >= FREQUENT_FROM) complete.push({ prefix: last.start.slice(0, node.length), best: node.best });
    }
    const above = open.at(-1)!;
    if (above.length === shared) merge(above, node);
    else open.push({ length: shared, count: node.count, best: [...node.best] });
    return complete;
  }

  return {
    add(next: Completion): FrequentPrefix[] {
      const complete = close(last ? sharedLength(last.start, next.start) : 0);
      last = next;
      return complete;
    },
    end: (): FrequentPrefix[] => close(0),
  };
}

function merge(into: Node, { count, best }: Node): void {
  into.count += count;
  for (const each of best) {
    const worst = into.best.at(-1);
    if (into.best.length === MAX_COMPLETIONS && worst && !isBetter(each, worst)) return;
    const same = into.best.findIndex(({ start }) => start === each.start);
    if (same >= 0 && !isBetter(each, into.best[same]!)) continue;
    if (same >= 0) into.best.splice(same, 1);
    const place = into.best.findIndex((other) => isBetter(each, other));
    into.best.splice(place < 0 ? into.best.length : place, 0, each);
    into.best.length = Math.min(into.best.length, MAX_COMPLETIONS);
  }
}

const isBetter = (a: Completion, b: Completion) =>
  a.popularity > b.popularity || (a.popularity === b.popularity && a.subject < b.subject);

/** The length of the common prefix, never within a surrogate pair. */
function sharedLength(a: string, b: string): number {
  const most = Math.min(a.length, b.length);
  let length = 0;
  while (length < most && a.charCodeAt(length) === b.charCodeAt(length)) length += 1;
  const isHalf = length > 0 && length < most && isHighSurrogate(a.charCodeAt(length - 1));
  return isHalf ? length - 1 : length;
}

const isHighSurrogate = (unit: number) => unit >= 0xd8_00 && unit <= 0xdb_ff;
