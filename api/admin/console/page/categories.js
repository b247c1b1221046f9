import { api } from './api.js';
import { useLive } from './live.js';

let reading;

/** The categories in the order of the tree, each with its names from the root; read once. */
export function useCategories() {
  const { data } = useLive(async () => (reading ??= read()));
  return data ?? [];
}

async function read() {
  try {
    const { categories } = await api.get('/api/categories/flat');
    return categories;
  } catch (error) {
    reading = undefined;
    throw error;
  }
}

/** Choices of a category for a Select: ids with their names, indented by how deep they are. */
export const categoryOptions = (categories) =>
  categories.map(({ id, name, path }) => [id, `${'\u00A0\u00A0'.repeat(Math.max(0, path.length - 1))}${name}`]);
