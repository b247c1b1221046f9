import type { Pool } from 'pg';
import { readKeptFigures, slowFigures, type FiguresOf, type SlowFigure } from '../../shared/admin/slow-figures.ts';
import { keepAnswers } from '../../shared/kit/kept-answers.ts';
import type { Services } from '../services.ts';

const keepers = new WeakMap<Pool, ReturnType<typeof keepAnswers<unknown>>>();

/** The figures of that name: counted now, or remembered for a short while where counting them takes long. */
export function keepFigures<Figures>(pool: Pool, name: string, load: () => Promise<Figures>): Promise<Figures> {
  const keep = keepers.get(pool) ?? keepAnswers<unknown>();
  keepers.set(pool, keep);
  return keep(name, load) as Promise<Figures>;
}

/** The same for what a worker counts every few minutes: as it was counted last, else now. */
export async function tellFigures<Name extends SlowFigure>(
  { pool, clock }: Pick<Services, 'pool' | 'clock'>,
  name: Name,
): Promise<FiguresOf<Name>> {
  const kept = await readKeptFigures(pool, name, clock.now());
  return kept ?? keepFigures(pool, name, () => slowFigures[name](pool, clock.now()) as Promise<FiguresOf<Name>>);
}
