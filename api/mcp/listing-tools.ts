import { z } from 'zod';
import type { Listing } from '../listings/present.ts';
import { draftTool } from './draft-tool.ts';
import { condition, country, currency, limit, listingId, page, photos } from './inputs.ts';
import { answerList, listOf, listingRow, pageOf, renderPrice, renderRows, toListingRow } from './present.ts';
import { standingTool } from './standing-tool.ts';
import { defineTool, type Tool, type ToolContext } from './tool.ts';

/** The fields of a listing as somebody writes them. */
const fields = z.object({
  title: z.string().min(5).max(120),
  description: z.string().min(20).max(5_000),
  category_id: z.string().min(1).max(120).describe('From list_categories'),
  condition,
  type: z.enum(['sale', 'wanted']).optional(),
  price: z.object({ amount: z.number().min(0).max(1e12).describe('0: on request'), currency, negotiable: z.boolean() }),
  location: z.object({ country, city: z.string().min(1).max(100), shipping: z.boolean() }),
  photos: photos.optional(),
  attributes: z
    .record(z.string().max(64), z.union([z.string().max(1_000), z.number(), z.boolean()]))
    .optional()
    .describe('Keys of category_attributes: {"brand": "Bavaria", "year": 2008}'),
  tags: z.array(z.string().min(1).max(50)).max(10).optional(),
});

/** The same by name alone, for who has read create_listing. */
const named = z.object({
  title: z.string(),
  description: z.string(),
  category_id: z.string(),
  condition: z.string(),
  type: z.string(),
  price: z.object({}),
  location: z.object({}),
  photos: z.array(z.string()),
  attributes: z.object({}),
  tags: z.array(z.string()),
});

const changed = z.object({ listing: listingRow, slug: z.string(), status: z.string(), url: z.string() });

const answerChanged = (context: ToolContext, body: Listing, next: string) => {
  const { slug, status } = body;
  const listing = toListingRow(body);
  const data = { listing, slug, status, url: pageOf(context, slug) };
  return { data, text: `${listing.title}: ${renderPrice(listing)}, status ${status}, \`${body.id}\`. ${next}`.trim() };
};

const toBody = ({ photos, ...rest }: Partial<z.output<typeof fields>>) => ({
  ...Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== undefined)),
  ...(photos && { images: photos.map((url) => ({ url })) }),
});

export const listingTools: Tool[] = [
  draftTool,
  defineTool({
    name: 'create_listing',
    title: 'Create a listing',
    description: 'Stores a listing as a draft that only its owner sees. Next: publish_listing.',
    input: fields,
    output: changed,
    scope: 'listings:write',
    effect: 'write',
    async run(context, input) {
      const { body } = await context.perform('createListing', { body: toBody(input) });
      return answerChanged(context, body, 'Next: show it to the seller, then publish_listing.');
    },
  }),
  defineTool({
    name: 'update_listing',
    title: 'Change a listing',
    description: 'Changes fields of an own listing, each as in create_listing; what is not named stays.',
    input: fields.partial().extend({ id: listingId }),
    listedInput: named.partial().extend({ id: listingId }),
    output: changed,
    scope: 'listings:write',
    effect: 'write',
    idempotent: true,
    async run(context, { id, ...input }) {
      const { body } = await context.perform('updateListing', { params: { id }, body: toBody(input) });
      return answerChanged(context, body, '');
    },
  }),
  defineTool({
    name: 'publish_listing',
    title: 'Publish a listing',
    description: 'Publishes an own draft for 30 days.',
    input: z.object({ id: listingId }),
    output: changed,
    scope: 'publish',
    effect: 'write',
    idempotent: true,
    confirm: 'This shows the listing to everybody.',
    async run(context, { id }) {
      const { body } = await context.perform('publishListing', { params: { id } });
      return answerChanged(context, body, pageOf(context, body.slug));
    },
  }),
  defineTool({
    name: 'mark_sold',
    title: 'Mark a listing as sold',
    description: 'Ends an own listing as sold, with the price that was paid if it is known.',
    input: z.object({
      id: listingId,
      sale_price: z.number().min(0).max(1e12).optional(),
      currency: currency.optional(),
    }),
    output: changed,
    scope: 'listings:write',
    effect: 'destroy',
    idempotent: true,
    async run(context, { id, ...body }) {
      const { body: listing } = await context.perform('markListingSold', { params: { id }, body });
      return answerChanged(context, listing, '');
    },
  }),
  defineTool({
    name: 'list_my_listings',
    title: 'My listings',
    description: 'The listings of the account, drafts included.',
    input: z.object({ limit, page }),
    output: listOf(listingRow),
    scope: 'read',
    effect: 'read',
    async run({ perform }, query) {
      const { body } = await perform('listMyListings', { query });
      const results = body.results.map((item) => toListingRow(item));
      return answerList(
        body.pagination,
        results,
        renderRows(results),
        'The account has no listings. Next: create_listing.',
      );
    },
  }),
  standingTool,
];
