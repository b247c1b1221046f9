import type { OperationId } from '../../../api/http/contract.ts';
import type { Services } from '../../../api/services.ts';
import { inTransaction } from '../../../db/client.ts';
import { editMarketplace, type Edit } from '../../../shared/marketplace/edit-marketplace.ts';
import { addCategory } from '../../../shared/marketplace/tree-edits.ts';
import type { Marketplace } from '../../../shared/catalog/marketplace.ts';
import type { Person } from '../openapi-cases-things.ts';
import type { Recipe } from './recipe.ts';

let made = 0;

/** A category with a name in every language, and an id that nothing has yet. */
function newCategory() {
  made += 1;
  const name = `Rafts ${made}`;
  return { id: `rafts-${made}`, name: { en: name, es: name, fr: name, de: name, it: name, ko: name, ja: name } };
}

async function edit(services: Services, { id: author }: Person, change: (state: Marketplace) => Edit): Promise<void> {
  const { db, marketplace } = services;
  // Nobody works them here.
  await db.deleteFrom('runs').where('kind', '=', 'recategorize').execute();
  await inTransaction(db, (tx) => editMarketplace(tx, services, { file: marketplace.file, author }, change));
  await marketplace.refresh();
}

/** Adds a category to the marketplace; answers its id. */
export async function createCategory(services: Services, author: Person): Promise<string> {
  const category = newCategory();
  await edit(services, author, ({ profile }) => ({
    sections: { categories: addCategory(profile.categories, category) },
  }));
  return category.id;
}

/** Adds an attribute template to the marketplace; answers its id. */
async function createAssetType(services: Services, author: Person): Promise<string> {
  made += 1;
  const id = `boards-${made}`;
  const template = { id, label: 'Boards', description: 'Boards.', attributes: [] };
  await edit(services, author, ({ document }) => ({
    sections: { asset_types: [...((document['asset_types'] ?? []) as object[]), template] },
  }));
  return id;
}

/** The version in force: a repetition of an edit is refused by it. */
const seen = ({ marketplace }: Services): number => marketplace.current().version;

/** How requests are made that edit the marketplace. */
export const settingsRecipes: Partial<Record<OperationId, Recipe>> = {
  addMarketplaceCategory: ({ services }) => ({ body: { ...newCategory(), version: seen(services) } }),
  putMarketplaceCategory: async ({ services, admin }) => {
    const id = await createCategory(services, admin);
    return { params: { id }, body: { ...newCategory(), id, version: seen(services) } };
  },
  deleteMarketplaceCategory: async ({ services, admin }) => ({
    params: { id: await createCategory(services, admin) },
    query: [['version', String(seen(services))]],
  }),
  deleteMarketplaceAssetType: async ({ services, admin }) => ({
    params: { type: await createAssetType(services, admin) },
    query: [['version', String(seen(services))]],
  }),
  putMarketplaceAssetType: ({ services }, example) => {
    made += 1;
    const body = { ...(example as object), label: `Boards ${made}`, version: seen(services) };
    return { params: { type: 'boards' }, body };
  },
  putSettings: ({ services }) => {
    const { tagline } = services.profile;
    made += 1;
    return { body: { settings: { tagline: { ...tagline, en: `all that floats ${made}` } }, version: seen(services) } };
  },
  undoSettings: async ({ services, admin }) => {
    await createCategory(services, admin);
    return { body: {} };
  },
};
