import type { Handler } from '../handler.ts';
import { tellFigures } from './kept.ts';

/** What is on offer now: by category, country, source and age. */
export const getInventory: Handler<'getInventory'> = async (services) => ({
  status: 200,
  body: await tellFigures(services, 'inventory'),
});
