import { z } from 'zod';
import { findSimilar } from '../listings/similar.ts';
import { limit, listingId, page, searchFilters, toSearchQuery } from './inputs.ts';
import {
  cutText,
  listingRow,
  pageFields,
  pageOf,
  renderPrice,
  renderRows,
  toListingRow,
  toPageFields,
} from './present.ts';
import { defineTool, type Tool } from './tool.ts';

const MAX_DESCRIPTION = 1_500;
const MAX_TEXT_DESCRIPTION = 400;
const MAX_IMAGES = 3;

const attributesOf = (value: unknown) => (value ?? {}) as Record<string, unknown>;

export const searchTools: Tool[] = [
  defineTool({
    name: 'search_listings',
    title: 'Search listings',
    description: 'Finds listings by words and filters.',
    input: searchFilters.extend({
      sort: z
        .enum(['relevance', 'newest', 'price_asc', 'price_desc', 'year_desc', 'length_desc', 'distance'])
        .optional(),
      limit,
      page,
    }),
    output: z.object({ ...pageFields, results: z.array(listingRow), warnings: z.array(z.string()).optional() }),
    effect: 'read',
    async run({ perform }, { sort, limit, page, ...filters }) {
      const query = { ...toSearchQuery(filters), limit, page, ...(sort && { sort }) };
      const { body } = await perform('searchListings', { query });
      const results = body.results.map((item) => toListingRow(item as Parameters<typeof toListingRow>[0]));
      const data = { ...toPageFields(body.pagination), results, ...(body.warnings && { warnings: body.warnings }) };
      const head = `${data.total} found${data.has_more ? `; more with page: ${page + 1}` : ''}.`;
      return { data, text: [head, renderRows(results, (page - 1) * limit + 1), ...(body.warnings ?? [])].join('\n') };
    },
  }),
  defineTool({
    name: 'get_listing',
    title: 'Read a listing',
    description: 'One listing with its description, attributes, seller and images.',
    input: z.object({ id: listingId }),
    output: z.object({
      listing: listingRow,
      slug: z.string(),
      url: z.string(),
      category_id: z.string(),
      description: z.string(),
      attributes: z.record(z.string(), z.unknown()),
      seller: z.object({ id: z.string(), name: z.string(), type: z.string(), verified: z.boolean() }),
      images: z.array(z.string()),
      updated_at: z.string(),
    }),
    effect: 'read',
    async run(context, { id }) {
      const { body } = await context.perform('getListing', { params: { id } });
      const listing = { ...toListingRow(body), title: body.title };
      const { id: sellerId, name, type, verified } = body.seller;
      const data = {
        listing,
        slug: body.slug,
        url: pageOf(context, body.slug),
        category_id: body.category.id,
        description: cutText(body.description, MAX_DESCRIPTION),
        attributes: attributesOf(body.attributes),
        seller: { id: sellerId, name, type, verified },
        images: body.images.slice(0, MAX_IMAGES).map(({ url }) => url),
        updated_at: body.updated_at,
      };
      const facts = Object.entries(data.attributes).map(([key, value]) => `${key}: ${renderValue(value)}`);
      const text = [
        `# ${body.title}`,
        `${renderPrice(listing)}, ${listing.condition}, ${listing.place}; sold by ${name} (\`${sellerId}\`), category \`${data.category_id}\`.`,
        facts.join('; '),
        data.url,
        cutText(body.description, MAX_TEXT_DESCRIPTION),
      ].join('\n');
      return { data, text };
    },
  }),
  defineTool({
    name: 'compare_listings',
    title: 'Compare listings',
    description: 'Two to five listings side by side: price, photo and every attribute that one of them has.',
    input: z.object({ ids: z.array(listingId).min(2).max(5) }),
    output: z.object({
      listings: z.array(listingRow.extend({ image: z.string().optional() })),
      attributes: z.array(z.object({ key: z.string(), values: z.array(z.string().nullable()) })),
    }),
    effect: 'read',
    async run({ perform }, { ids }) {
      const read = await Promise.all(ids.map((id) => perform('getListing', { params: { id } })));
      const listings = read.map(({ body }) => {
        const image = body.images[0]?.thumbnail_url ?? body.images[0]?.url;
        return { ...toListingRow(body), ...(image !== undefined && { image }) };
      });
      const all = read.map(({ body }) => attributesOf(body.attributes));
      const keys = [...new Set(all.flatMap((each) => Object.keys(each)))].slice(0, 40);
      const attributes = keys.map((key) => ({ key, values: all.map((each) => renderValue(each[key])) }));
      const row = (cells: string[]) => `| ${cells.map((cell) => cell.replaceAll(/[|\n]/g, ' ')).join(' | ')} |`;
      const text = [
        row(['', ...listings.map(({ title }) => title)]),
        row(['---', ...listings.map(() => '---')]),
        row(['price', ...listings.map(renderPrice)]),
        row(['condition', ...listings.map(({ condition }) => condition)]),
        row(['place', ...listings.map(({ place }) => place)]),
        ...attributes.map(({ key, values }) => row([key, ...values.map((value) => value ?? '')])),
      ].join('\n');
      return { data: { listings, attributes }, text };
    },
  }),
  defineTool({
    name: 'similar_listings',
    title: 'Similar listings',
    description: 'Up to four listings like one, by make, price, length and year.',
    input: z.object({ id: listingId }),
    output: z.object({ results: z.array(listingRow) }),
    effect: 'read',
    async run(context, { id }) {
      const { body } = await context.perform('getListing', { params: { id } });
      const results = (await findSimilar(context, body)).map((item) => toListingRow(item));
      return { data: { results }, text: renderRows(results) || 'Nothing like it is for sale.' };
    },
  }),
  defineTool({
    name: 'suggest',
    title: 'Complete a search',
    description: 'Completes what was typed: categories, frequent searches, titles.',
    input: z.object({ q: z.string().min(2).max(100), limit: z.number().int().min(1).max(10).default(8) }),
    output: z.object({
      suggestions: z.array(z.object({ type: z.string(), text: z.string(), id: z.string().optional() })),
    }),
    effect: 'read',
    async run({ perform }, { q, limit }) {
      const { body } = await perform('suggest', { query: { q, limit } });
      const suggestions = body.suggestions.map((each) => ({
        type: each.type,
        text: each.text,
        ...(each.type === 'category' && { id: each.category_id }),
        ...(each.type === 'listing' && { id: each.listing_id }),
      }));
      return {
        data: { suggestions },
        text: suggestions.map(({ type, text, id }) => `- ${text} (${type})${id ? ` \`${id}\`` : ''}`).join('\n'),
      };
    },
  }),
];

function renderValue(value: unknown): string | null {
  if (value === undefined || value === null) return null;
  if (Array.isArray(value)) return cutText(value.join(', '), 200);
  return cutText(typeof value === 'string' ? value : JSON.stringify(value), 200);
}
