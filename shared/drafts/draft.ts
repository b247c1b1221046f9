import type { Attributes } from '../listings/attributes.ts';

export const conditions = ['new', 'like_new', 'good', 'fair', 'poor', 'refurbished'] as const;

/** A draft before its price range: what a provider or the stub makes of some images. */
export type DraftText = {
  title: string;
  description: string;
  category: string;
  condition: (typeof conditions)[number];
  tags: string[];
  attributes: Attributes;
};

/** AiGenerateResponse of openapi.yaml. */
export type ListingDraft = DraftText & { estimatedPriceRange: { min: number; max: number; currency: string } };
export type DraftMode = 'openai' | 'stub';

/** The first characters of a text without control characters, cut between words where that costs little. */
export function clip(text: string, most: number): string {
  const clean = text
    .replaceAll(/[^\P{C}\n\t\u200c\u200d]/gu, ' ')
    .replaceAll(/[ \t]+/g, ' ')
    .trim();
  const characters = [...clean];
  if (characters.length <= most) return clean;
  const cut = characters.slice(0, most).join('');
  const atWord = cut.replace(/(?<!\s)\s+\S*$/u, '');
  return (atWord.length > cut.length * 0.7 ? atWord : cut).trim();
}
