import { z } from 'zod';
import { condition, country, currency, id, toTexts } from './inputs.ts';
import { listingRow, renderRows, toListingRow } from './present.ts';
import { defineTool, type Tool } from './tool.ts';

type Node = { id: string; name: string; count: number; children?: Node[] };

const money = z.number().nullable();

export const marketTools: Tool[] = [
  defineTool({
    name: 'list_categories',
    title: 'List categories',
    description: 'Categories with their numbers of listings: the top ones, or those below one.',
    input: z.object({ below: z.string().max(120).optional() }),
    output: z.object({
      categories: z.array(z.object({ id: z.string(), name: z.string(), count: z.number(), subcategories: z.number() })),
    }),
    effect: 'read',
    async run({ perform }, { below }) {
      const nodes =
        below === undefined
          ? ((await perform('listCategories')).body.categories as Node[])
          : ((await perform('getCategory', { params: { id: below } })).body.children as Node[]);
      const categories = nodes.map(({ id, name, count, children }) => ({
        id,
        name,
        count,
        subcategories: (children ?? []).length,
      }));
      const text = categories.map(({ id, name, count }) => `- ${name} \`${id}\` (${count})`).join('\n');
      return { data: { categories }, text: text || 'There is nothing below it.' };
    },
  }),
  defineTool({
    name: 'category_attributes',
    title: 'Attributes of a category',
    description: 'The attributes of listings of a category, for filters and for create_listing.',
    input: z.object({ category: id }),
    output: z.object({
      attributes: z.array(
        z.object({
          key: z.string(),
          label: z.string(),
          type: z.string(),
          required: z.boolean(),
          filter: z.string().optional().describe('range: min_KEY and max_KEY'),
          options: z.array(z.string()).optional(),
          unit: z.string().optional(),
        }),
      ),
    }),
    effect: 'read',
    async run({ perform }, { category }) {
      const { body: found } = await perform('getCategory', { params: { id: category } });
      const { body } = await perform('listAssetTypes');
      const type = body.results.find(({ categoryIds }) => categoryIds.includes(found.id));
      const attributes = (type?.attributes ?? []).map(
        ({ key, label, type, required, filterable, filterType, options, unit }) => ({
          key,
          label,
          type,
          required,
          ...(filterable && filterType && { filter: filterType }),
          ...(options && { options }),
          ...(unit && { unit }),
        }),
      );
      const text = attributes
        .map(
          ({ key, type, unit, required, filter, options }) =>
            `- ${key}: ${options ? options.join(' | ') : type}${unit ? ` in ${unit}` : ''}${required ? ', required' : ''}${filter === 'range' ? `, filter min_${key}, max_${key}` : filter ? ', filter' : ''}`,
        )
        .join('\n');
      return { data: { attributes }, text: text || 'Listings of it have no attributes of their own.' };
    },
  }),
  defineTool({
    name: 'price_guidance',
    title: 'What is it worth',
    description: 'What like listings cost; with price, how good that price is.',
    input: z.object({
      category: id,
      price: z.number().min(0).max(1e12).optional(),
      condition: condition.optional(),
      currency: currency.optional(),
      country: country.optional(),
      attributes: z
        .record(z.string().max(100), z.union([z.string().max(200), z.number(), z.boolean()]))
        .optional()
        .describe('As in search_listings'),
    }),
    output: z.object({
      currency: z.string().nullable(),
      low: money,
      fair: money,
      high: money,
      sample_size: z.number(),
      confidence: z.string(),
      note: z.string().nullable(),
      assessment: z.string().optional(),
      percentile: money.optional(),
      comparables: z.array(listingRow),
    }),
    effect: 'read',
    async run({ perform }, { price, attributes, ...filters }) {
      const query = { ...filters, ...(attributes && { attr: toTexts(attributes) }) };
      const assessed =
        price === undefined ? undefined : (await perform('assessPrice', { query: { ...query, price } })).body;
      const market = assessed?.market ?? (await perform('recommendPrice', { query })).body;
      const { low, fair, high } = market.recommended;
      const comparables = market.comparables.slice(0, 3).map((item) => toListingRow(item));
      const data = {
        currency: market.currency,
        low,
        fair,
        high,
        sample_size: market.sample_size,
        confidence: market.confidence,
        note: market.note,
        ...(assessed && { assessment: assessed.assessment, percentile: assessed.percentile }),
        comparables,
      };
      const range = fair === null ? 'Too few like listings.' : `Fair: ${fair} ${market.currency} (${low} to ${high}).`;
      const verdict = assessed ? ` ${assessed.price} is: ${assessed.assessment}.` : '';
      const text = `${range}${verdict} From ${market.sample_size} listings, confidence ${market.confidence}.\n${renderRows(comparables)}`;
      return { data, text };
    },
  }),
  defineTool({
    name: 'get_seller',
    title: 'Look at a seller',
    description: 'Who a seller is: since when, how many listings, how they are rated.',
    input: z.object({ id: id }),
    output: z.object({
      id: z.string(),
      name: z.string(),
      type: z.string(),
      verified: z.boolean(),
      created_at: z.string(),
      listing_count: z.number(),
      avg_rating: z.number(),
      total_reviews: z.number(),
    }),
    effect: 'read',
    async run({ perform }, { id }) {
      const { body } = await perform('getUser', { params: { id } });
      const rating = body.total_reviews > 0 ? `${body.avg_rating} of 5 in ${body.total_reviews} reviews` : 'no reviews';
      const text = `${body.name} (${body.type}${body.verified ? ', verified' : ''}), here since ${body.created_at.slice(0, 10)}: ${body.listing_count} listings, ${rating}.`;
      return { data: body, text };
    },
  }),
];
