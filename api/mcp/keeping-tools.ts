import { z } from 'zod';
import { id, limit, listingId, page, searchFilters, toTexts } from './inputs.ts';
import { answerList, listOf, listingRow, renderRows, toListingRow } from './present.ts';
import { defineTool, type Tool } from './tool.ts';

const notify = z.enum(['instant', 'daily', 'weekly', 'off']);
const savedSearch = z.object({ id: z.string(), name: z.string(), filters: z.record(z.string(), z.unknown()), notify });

type Saved = { id: string; name: string; query_params: unknown; notify: z.output<typeof notify> };
const toSavedSearch = ({ id, name, query_params: filters, notify }: Saved) => ({
  id,
  name,
  filters: filters as Record<string, unknown>,
  notify,
});

/** Saved searches and favorites. */
export const keepingTools: Tool[] = [
  defineTool({
    name: 'list_saved_searches',
    title: 'My saved searches',
    description: 'The searches that the account is told news of.',
    input: z.object({}),
    output: z.object({ results: z.array(savedSearch) }),
    scope: 'read',
    effect: 'read',
    async run({ perform }) {
      const results = (await perform('listSavedSearches')).body.results.map(toSavedSearch);
      const lines = results.map(({ id, name, filters }) => `- ${name} \`${id}\`: ${JSON.stringify(filters)}`);
      return { data: { results }, text: lines.join('\n') || 'There are none. Next: save_search.' };
    },
  }),
  defineTool({
    name: 'save_search',
    title: 'Save a search',
    description: 'Saves a search, so that new listings are mailed to the account.',
    input: z.object({
      name: z.string().min(1).max(100),
      filters: searchFilters.strict(),
      notify: notify.default('daily'),
    }),
    listedInput: z.object({
      name: z.string(),
      filters: z.object({}).describe('Input of search_listings without sort, limit, page.'),
      notify: notify.default('daily'),
    }),
    output: savedSearch,
    scope: 'listings:write',
    effect: 'write',
    async run({ perform }, { name, notify, filters: { attributes, ...filters } }) {
      const query_params = { ...filters, ...(attributes && { attr: toTexts(attributes) }) };
      const { body } = await perform('createSavedSearch', { body: { name, notify, query_params } });
      return { data: toSavedSearch(body), text: [`Saved as \`${body.id}\`.`, ...(body.warnings ?? [])].join('\n') };
    },
  }),
  defineTool({
    name: 'delete_saved_search',
    title: 'Delete a saved search',
    description: 'Deletes a saved search; its mails end.',
    input: z.object({ id }),
    output: z.object({ id: z.string(), deleted: z.boolean() }),
    scope: 'listings:write',
    effect: 'destroy',
    async run({ perform }, { id }) {
      await perform('deleteSavedSearch', { params: { id } });
      return { data: { id, deleted: true }, text: `\`${id}\` is deleted.` };
    },
  }),
  defineTool({
    name: 'list_favorites',
    title: 'My favorites',
    description: 'The listings that the account keeps.',
    input: z.object({ limit, page }),
    output: listOf(listingRow),
    scope: 'read',
    effect: 'read',
    async run({ perform }, query) {
      const { body } = await perform('listFavorites', { query });
      const results = body.results.map((item) => toListingRow(item));
      return answerList(body.pagination, results, renderRows(results), 'There are none. Next: set_favorite.');
    },
  }),
  defineTool({
    name: 'set_favorite',
    title: 'Keep a listing, or no longer',
    description: 'Adds a listing to the favorites (favorite: true) or takes it out (false).',
    input: z.object({ listing_id: listingId, favorite: z.boolean() }),
    output: z.object({ listing_id: z.string(), favorited: z.boolean() }),
    scope: 'listings:write',
    effect: 'write',
    idempotent: true,
    async run({ perform }, { listing_id, favorite }) {
      const { body } = favorite
        ? await perform('addFavorite', { body: { listing_id } })
        : await perform('removeFavorite', { params: { listingId: listing_id } });
      return { data: body, text: `\`${body.listing_id}\` is ${body.favorited ? '' : 'no longer '}a favorite.` };
    },
  }),
];
