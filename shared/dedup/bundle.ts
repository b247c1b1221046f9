import type { Link } from './group.ts';
import { pairOf } from './regroup.ts';

/** So many copies of one ad are kept together; of more another bundle is made. */
const MAX_COPIES = 200;

/** The first of the copies that a listing is kept together with; itself where there are none. */
export type HeadOf = (id: string) => string;

/**
 * Puts together copies of one ad as far as links lead from one to the next, however few of their pairs are known: they say
 * the same. Whom people have told apart from any of them stays alone.
 */
export function bundleCopies(
  links: readonly Link[],
  copies: ReadonlyMap<string, string>,
  rejected: ReadonlySet<string>,
): HeadOf {
  const bundles = new Map<string, string[]>();
  const bundleOf = (id: string) => bundles.get(id) ?? [id];
  for (const { first, second } of links) {
    const copy = copies.get(first);
    if (copy === undefined || copy !== copies.get(second)) continue;
    const [one, other] = [bundleOf(first), bundleOf(second)];
    if (one === other || one.length + other.length > MAX_COPIES) continue;
    const joined = [...one, ...other];
    for (const id of joined) bundles.set(id, joined);
  }
  for (const pair of rejected) {
    const [first = '', second = ''] = pair.split(' ');
    if (bundles.get(first) !== bundles.get(second)) continue;
    const rest = bundleOf(first).filter((id) => id !== second);
    for (const id of rest) bundles.set(id, rest);
    bundles.set(second, [second]);
  }
  const heads = new Map([...bundles].map(([id, bundle]) => [id, bundle.reduce((a, b) => (a < b ? a : b))]));
  return (id) => heads.get(id) ?? id;
}

/** The strongest link between any two bundles; those within one are left out. */
export function linkBundles(links: readonly Link[], headOf: HeadOf): Map<string, Link> {
  const strongest = new Map<string, Link>();
  for (const { first, second, score } of links) {
    const [one, other] = [headOf(first), headOf(second)];
    if (one === other) continue;
    const pair = pairOf(one, other);
    if (score > (strongest.get(pair)?.score ?? -1))
      strongest.set(pair, { first: one < other ? one : other, second: one < other ? other : one, score });
  }
  return strongest;
}
