import { readKpis } from '../../shared/admin/kpis.ts';
import { KPI_DAYS } from '../../shared/admin/slow-figures.ts';
import { notFound } from '../../shared/kit/errors.ts';
import type { Handler } from '../handler.ts';
import type { Services } from '../services.ts';
import { readSlowFigures } from './figures.ts';

/** The key figures of all listings. */
export const getKpis: Handler<'getKpis'> = async (services, { query: { days = KPI_DAYS } }) => ({
  status: 200,
  body: await answer(services, days),
});

/** The key figures of a category and of what is below it. */
export const getCategoryKpis: Handler<'getCategoryKpis'> = async (services, { params, query, locale }) => {
  const { catalog } = services;
  const category = catalog.find(params.category);
  if (!category) throw notFound('category', params.category);
  const { id } = category;
  const name = (each: string) => catalog.localizedName(each, locale);
  const figures = await answer(services, query.days ?? KPI_DAYS, id, catalog.descendantIds(id));
  return { status: 200, body: { category: { id, name: name(id), path: category.path.map(name) }, ...figures } };
};

async function answer(services: Services, days: number, id?: string, categories?: readonly string[]) {
  const { pool, clock, views, figures } = services;
  // What this process has counted a moment ago is told, too.
  await views.flush();
  if (id === undefined && days === KPI_DAYS) return readSlowFigures(services, 'kpis');
  return figures(`kpis ${days} ${id ?? ''}`, async () => {
    const now = clock.now();
    return {
      generated_at: now.toISOString(),
      days,
      ...(await readKpis(pool, { days, now, categories: categories ?? null })),
    };
  });
}
