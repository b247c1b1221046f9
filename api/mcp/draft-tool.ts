import { z } from 'zod';
import type { DraftFromText } from '../../shared/drafts/draft-from-text.ts';
import type { ListingDraft } from '../../shared/drafts/draft.ts';
import { invalid } from '../../shared/kit/errors.ts';
import { photos } from './inputs.ts';
import { defineTool, type ToolContext } from './tool.ts';

const output = z.object({
  title: z.string(),
  description: z.string(),
  category_id: z.string(),
  condition: z.string().optional(),
  price: z.object({ amount: z.number(), currency: z.string() }).optional(),
  location: z.object({ country: z.string().optional(), city: z.string().optional() }).optional(),
  price_range: z.object({ min: z.number(), max: z.number(), currency: z.string() }),
  attributes: z.record(z.string(), z.unknown()),
  tags: z.array(z.string()),
  missing: z.array(z.string()),
});

const toldByNoPhoto = new Set(['price', 'location']);

/** Drafts by what a provider sees in photos, by what the text tells, or by both. */
export const draftTool = defineTool({
  name: 'draft_listing',
  title: 'Draft a listing',
  description:
    "Proposes the fields of create_listing, and what like things cost, from the seller's words, photos or both. Stores nothing. With photos up to a minute.",
  input: z.object({
    text: z
      .string()
      .min(20)
      .max(5_000)
      .optional()
      .describe(
        'Becomes the description. First line: title. "Year: 2006", "Price: 9000 EUR", "Location: Kiel" are read.',
      ),
    photos: photos.min(1).optional(),
  }),
  output,
  scope: 'listings:write',
  effect: 'write',
  async run(context, { photos, text }) {
    if (photos === undefined && text === undefined) throw invalid('Name text, photos, or both.');
    const { pool, catalog, clock } = context.services;
    // It brings the reader of pages along, which an API process that drafts nothing does without.
    const { draftFromText } = await import('../../shared/drafts/draft-from-text.ts');
    const told = text === undefined ? undefined : await draftFromText({ pool, catalog }, text, clock.now());
    const data = toDraft(photos === undefined ? undefined : await draftFromPhotos(context, photos), told);
    return { data, text: renderDraft(data, told ? '' : data.description) };
  },
});

async function draftFromPhotos({ perform }: ToolContext, images: string[]) {
  const { status, headers, body } = await perform('generateListingDraft', { body: { images } });
  if (status !== 200) throw new Error('a draft that is waited for was only accepted');
  return { isSeen: headers['X-AI-Mode'] !== 'stub', draft: body as ListingDraft };
}

/** What the seller says stands above what is seen; without anybody who sees, the photos tell nothing. */
function toDraft(
  photos: { isSeen: boolean; draft: ListingDraft } | undefined,
  told: DraftFromText | undefined,
): z.output<typeof output> {
  const seen = photos && (photos.isSeen || !told) ? photos.draft : undefined;
  const base = seen ?? told!;
  const { price, location, missing = [...toldByNoPhoto] } = told ?? {};
  return {
    title: base.title,
    description: told?.description ?? base.description,
    category_id: told && !missing.includes('category') ? told.category : base.category,
    condition: told && !missing.includes('condition') ? told.condition : seen?.condition,
    ...(price && {
      price: { amount: price.amount ?? 0, currency: price.currency ?? base.estimatedPriceRange.currency },
    }),
    ...(location && { location: { country: location.country, city: location.city } }),
    price_range: base.estimatedPriceRange,
    attributes: { ...seen?.attributes, ...told?.attributes },
    tags: base.tags,
    missing: seen ? missing.filter((fact) => toldByNoPhoto.has(fact)) : missing,
  };
}

/** The draft in a few lines; what the caller has written is not told again. */
function renderDraft(draft: z.output<typeof output>, description: string): string {
  const { title, category_id, condition, price, price_range: range, attributes, missing } = draft;
  return [
    `# ${title}`,
    ...(description === '' ? [] : [description]),
    `Category \`${category_id}\`${condition ? `, ${condition}` : ''}${price ? `, ${price.amount} ${price.currency}` : ''}. Attributes: ${JSON.stringify(attributes)}`,
    range.max > 0
      ? `Like things cost ${range.min} to ${range.max} ${range.currency}.`
      : 'There are too few like things to compare.',
    `Next: ${missing.length > 0 ? `ask the seller for ${missing.join(', ')}, then ` : ''}create_listing.`,
  ].join('\n');
}
