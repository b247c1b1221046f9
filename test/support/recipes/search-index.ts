import type { OperationId } from '../../../api/http/contract.ts';
import type { Recipe } from './recipe.ts';

export const searchIndexRecipes: Partial<Record<OperationId, Recipe>> = {
  startReindex: async ({ services }) => {
    await services.pool.query(`delete from pgboss.job where name = 'reindex-search'`);
    await services.pool.query(`delete from runs where kind = 'reindex'`);
    return {};
  },
};
