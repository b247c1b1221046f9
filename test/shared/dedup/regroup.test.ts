import { describe, expect, test } from 'vitest';
import { mergeIntoUndecided, type UndecidedGroup } from '../../../shared/dedup/regroup.ts';
import { foundGroup } from '../../support/dedup-groups.ts';

const everybody = new Set(['a', 'b', 'c', 'd']);
function put(
  waiting: readonly UndecidedGroup[],
  found: ReturnType<typeof foundGroup>,
  { offered = everybody, rejected = [] as string[] } = {},
) {
  const groups = new Map(waiting.map((group) => [group.id, group]));
  let made = 0;
  const makeId = () => `new${(made += 1)}`;
  mergeIntoUndecided(groups, found, { offered, rejected: new Set(rejected), makeId });
  return [...groups.values()];
}
const waits = (id: string, members: string[], score = 0.9): UndecidedGroup => ({ id, ...foundGroup(members, score) });
const shapes = (groups: readonly UndecidedGroup[]) => groups.map(({ id, members }) => ({ id, members }));

describe('a found group', () => {
  test('that nobody waits in is new, one that is known as it is stays the very same', () => {
    const [fresh] = put([], foundGroup(['a', 'b'], 0.8));
    expect(fresh).toMatchObject({ id: 'new1', members: ['a', 'b'], confidence: 0.8 });
    expect(put([fresh!], foundGroup(['a', 'b'], 0.8))[0]).toBe(fresh);
    expect(put([fresh!], foundGroup(['a', 'b'], 0.95))[0]).toMatchObject({ id: 'new1', confidence: 0.95 });
  });

  test('extends the group of its members, and joins two of them', () => {
    expect(shapes(put([waits('g1', ['a', 'b'])], foundGroup(['a', 'b', 'c'])))).toEqual([
      { id: 'g1', members: ['a', 'b', 'c'] },
    ]);
    const joined = put([waits('g1', ['a', 'b']), waits('g2', ['c', 'd'])], foundGroup(['a', 'b', 'c', 'd']));
    expect(shapes(joined)).toEqual([{ id: 'g1', members: ['a', 'b', 'c', 'd'] }]);
  });

  test('of a few members of a larger group leaves that as large as it is', () => {
    expect(shapes(put([waits('g1', ['a', 'b', 'c'], 0.7)], foundGroup(['a', 'b'], 0.96)))).toEqual([
      { id: 'g1', members: ['a', 'b', 'c'] },
    ]);
  });

  test('takes a listing from a group that holds it less, and never chains what is not alike', () => {
    const groups = put([waits('g1', ['b', 'c'], 0.7)], foundGroup(['a', 'b'], 0.95));
    expect(shapes(groups)).toEqual([{ id: 'g1', members: ['a', 'b'] }]);
  });

  test('is closed without rejected pairs and without what is not offered', () => {
    expect(put([], foundGroup(['a', 'b']), { rejected: ['a b'] })).toEqual([]);
    expect(put([], foundGroup(['a', 'b']), { offered: new Set(['a']) })).toEqual([]);
    const [group] = put([], foundGroup(['a', 'b', 'c']), { rejected: ['a b'] });
    expect(group?.members).toHaveLength(2);
    expect(group?.members).toContain('c');
  });
});
