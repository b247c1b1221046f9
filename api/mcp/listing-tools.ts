import { z } from 'zod';
import type { Listing } from '../listings/present.ts';
import { condition, country, currency, limit, listingId, page } from './inputs.ts';
import { listingRow, pageFields, pageOf, renderPrice, renderRows, toListingRow, toPageFields } from './present.ts';
import { defineTool, type Tool, type ToolContext } from './tool.ts';

const photo = z.url({ protocol: /^https?$/ }).max(2_048);
const photos = z
  .array(photo)
  .max(10)
  .describe(
    'Addresses of photos, the best first. Files: POST /api/upload with the same credential answers an address.',
  );

/** The fields of a listing as somebody writes them. */
const fields = z.object({
  title: z.string().min(5).max(120),
  description: z.string().min(20).max(5_000),
  category_id: z.string().min(1).max(120).describe('From list_categories.'),
  condition,
  type: z.enum(['sale', 'wanted']).optional(),
  price: z.object({ amount: z.number().min(0).max(1e12).describe('0: on request'), currency, negotiable: z.boolean() }),
  location: z.object({ country, city: z.string().min(1).max(100), shipping: z.boolean() }),
  photos: photos.optional(),
  attributes: z
    .record(z.string().max(64), z.union([z.string().max(1_000), z.number(), z.boolean()]))
    .optional()
    .describe('From category_attributes: {"brand": "Bavaria", "year": 2008}.'),
  tags: z.array(z.string().min(1).max(50)).max(10).optional(),
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
  defineTool({
    name: 'draft_listing',
    title: 'Draft a listing from photos',
    description:
      'Proposes title, description, category, condition, attributes and a price range from photos and what the seller says. Stores nothing: go on with create_listing. Takes up to a minute.',
    input: z.object({
      photos: photos.min(1),
      text: z.string().min(20).max(5_000).optional().describe("The seller's own words, which become the description."),
    }),
    output: z.object({
      title: z.string(),
      description: z.string(),
      category_id: z.string(),
      condition: z.string(),
      price_range: z.object({ min: z.number(), max: z.number(), currency: z.string() }),
      attributes: z.record(z.string(), z.unknown()),
      tags: z.array(z.string()),
    }),
    scope: 'listings:write',
    effect: 'write',
    async run({ perform }, { photos, text }) {
      const answer = await perform('generateListingDraft', { body: { images: photos } });
      if (answer.status !== 200) throw new Error('a draft that is waited for was only accepted');
      const { title, description, category, condition, estimatedPriceRange, attributes, tags } = answer.body;
      const data = {
        title,
        description: text ?? description,
        category_id: category,
        condition,
        price_range: estimatedPriceRange,
        attributes,
        tags,
      };
      const { min, max, currency } = estimatedPriceRange;
      return {
        data,
        text: `# ${title}\n${data.description}\n\nCategory \`${category}\`, ${condition}; like things cost ${min} to ${max} ${currency}.\nNext: ask the seller for price and place, then create_listing.`,
      };
    },
  }),
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
    description: 'Changes fields of an own listing; what is not named stays.',
    input: fields.partial().extend({ id: listingId }),
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
    output: z.object({ ...pageFields, results: z.array(listingRow) }),
    scope: 'read',
    effect: 'read',
    async run({ perform }, query) {
      const { body } = await perform('listMyListings', { query });
      const results = body.results.map((item) => toListingRow(item));
      return {
        data: { ...toPageFields(body.pagination), results },
        text: renderRows(results) || 'The account has no listings. Next: create_listing.',
      };
    },
  }),
];
