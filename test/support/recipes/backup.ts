import type { OperationId } from '../../../api/http/contract.ts';
import type { Recipe } from './recipe.ts';

export const backupRecipes: Partial<Record<OperationId, Recipe>> = {
  startBackup: async ({ services }) => {
    await services.pool.query(`delete from pgboss.job where name = 'backup-database'`);
    await services.pool.query(`delete from runs where kind = 'backup'`);
    return {};
  },
};
