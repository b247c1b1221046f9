import type { Handler } from '../handler.ts';
import { readSlowFigures } from './figures.ts';

/** What is on offer now: by category, country, source and age. */
export const getInventory: Handler<'getInventory'> = async (services) => ({
  status: 200,
  body: await readSlowFigures(services, 'inventory'),
});
