import { z } from 'zod';
import type { AssetTypeDefinition, CategoryNode } from './profile.ts';

const slug = z.string().regex(/^[a-z0-9]+(?:-[a-z0-9]+)*$/);
const text = z.string().min(1);

const categoryNode: z.ZodType<CategoryNode> = z.strictObject({
  id: slug,
  name: z.strictObject({
    en: text,
    es: text.optional(),
    fr: text.optional(),
    de: text.optional(),
    it: text.optional(),
    ko: text.optional(),
    ja: text.optional(),
  }),
  asset_type: slug.optional(),
  get children() {
    return z.array(categoryNode).optional();
  },
});

const assetType: z.ZodType<AssetTypeDefinition> = z.strictObject({
  id: slug,
  label: text,
  description: text,
  categoryIds: z.array(slug),
  attributes: z.array(
    z.strictObject({
      key: z.string().regex(/^[a-z][a-z0-9_]*$/),
      label: text,
      type: z.enum(['string', 'number', 'boolean', 'enum']),
      required: z.boolean(),
      filterable: z.boolean(),
      filterType: z.enum(['range', 'select', 'boolean']).optional(),
      options: z.array(text).min(1).optional(),
      unit: text.optional(),
      description: text.optional(),
      example: z.union([text, z.number(), z.boolean()]).optional(),
    }),
  ),
});

/** The category tree of a seed file; throws a ZodError that names the place of what is wrong in it. */
export const parseCategories = (json: unknown): CategoryNode[] => z.array(categoryNode).parse(json);

/** The attribute templates of a seed file; throws a ZodError that names the place of what is wrong in it. */
export const parseAssetTypes = (json: unknown): AssetTypeDefinition[] => z.array(assetType).parse(json);
