import { readFiguresSnapshot, slowFigures, type FiguresOf, type SlowFigure } from '../../shared/admin/slow-figures.ts';
import type { Services } from '../services.ts';

/** What a worker counts every few minutes: its last snapshot, else counted now and cached where that takes long. */
export async function readSlowFigures<Name extends SlowFigure>(
  { pool, clock, figures }: Pick<Services, 'pool' | 'clock' | 'figures'>,
  name: Name,
): Promise<FiguresOf<Name>> {
  const snapshot = await readFiguresSnapshot(pool, name, clock.now());
  return snapshot ?? figures(name, () => slowFigures[name](pool, clock.now()) as Promise<FiguresOf<Name>>);
}
