import { z } from 'zod';
import type { Ai } from '../adapters/ai.ts';
import type { Catalog } from '../catalog/tree.ts';
import { checkAttributes, type Attributes } from '../listings/attributes.ts';
import { moderate } from '../moderation/moderate.ts';
import type { AssetTypeDefinition } from '../profiles/profile.ts';
import { clip, conditions, type DraftText } from './draft.ts';
import type { DraftImage } from './draft-images.ts';

const languageName = new Intl.DisplayNames('en', { type: 'language' });
const MAX_VALUE_LENGTH = 100;
const MAX_TAGS = 10;

type Task = { images: readonly DraftImage[]; locale: string; signal: AbortSignal };

/**
 * Has a provider describe what images show. Its answer is held to what a listing may be: a category of the catalog, keys of
 * that category's template, texts that moderation accepts. It is never asked for a price. Throws AiError.
 */
export async function composeWithAi(ai: Ai, catalog: Catalog, task: Task): Promise<DraftText> {
  const schema = z.strictObject({
    title: z.string().min(5),
    description: z.string().min(20),
    category: z.enum(catalog.validIds() as [string, ...string[]]),
    condition: z.enum(conditions),
    tags: z.array(z.string()).max(MAX_TAGS),
    attributes: z.array(z.strictObject({ key: z.string(), value: z.string() })).max(60),
  });
  const answer = await ai.ask({
    name: 'listing_draft',
    instructions: instructionsFor(catalog, task.locale),
    material: materialOf(task.images),
    images: task.images.map(({ jpeg }) => jpeg),
    schema,
    findFaults: (draft) => {
      const { verdict, reasons } = moderate(draft);
      return verdict === 'reject' ? reasons.map(({ message }) => message) : [];
    },
    deadline: 'aiDraft',
    signal: task.signal,
  });
  const tags = answer.tags.map((tag) => clip(tag, 50)).filter(Boolean);
  return {
    title: clip(answer.title, 120),
    description: clip(answer.description, 5_000),
    category: answer.category,
    condition: answer.condition,
    tags: [...new Set(tags)].slice(0, MAX_TAGS),
    attributes: knownAttributes(answer.attributes, catalog.assetTypeOf(answer.category)),
  };
}

function instructionsFor(catalog: Catalog, locale: string): string {
  const categories = catalog
    .flat()
    .map(({ id, path }) => `${id} (${path.map((each) => catalog.find(each)?.name).join(' > ')})`);
  const templates = catalog.assetTypes().map(({ categoryIds, attributes }) => {
    const keys = attributes.map(({ key, type, unit, options }) => `${key}: ${options?.join('|') ?? unit ?? type}`);
    return `- in ${categoryIds.join(', ')}: ${keys.join('; ')}`;
  });
  return `You draft the listing of one item for a marketplace, from the seller's photos of it. Write the title (at most 120
characters) and the description (at most 5000) in ${languageName.of(locale) ?? 'English'}, plainly and only about what can be seen; what is not
certain is left out. No price, no contact, no address. Choose the narrowest fitting category by its id. Give attributes only
where the photos show them, with these keys and units, and no others.

Categories:
${categories.join('\n')}

Attributes:
${templates.join('\n')}`;
}

const materialOf = (images: readonly DraftImage[]) =>
  images
    .map(({ width, height, words }, index) =>
      [
        `Photo ${index + 1}: ${width} x ${height} pixels`,
        ...(words ? [`file name ${JSON.stringify(words)}`] : []),
      ].join(', '),
    )
    .join('\n');

/** What fits the template; all else of the answer is dropped. */
function knownAttributes(
  given: readonly { key: string; value: string }[],
  assetType: AssetTypeDefinition | undefined,
): Attributes {
  const keys = new Set(assetType?.attributes.map(({ key }) => key));
  const known = given.filter(({ key }) => keys.has(key)).map(({ key, value }) => [key, clip(value, MAX_VALUE_LENGTH)]);
  return checkAttributes(Object.fromEntries(known), assetType).attributes;
}
