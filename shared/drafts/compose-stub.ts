import type { Catalog } from '../catalog/tree.ts';
import { clip, type DraftText } from './draft.ts';
import type { DraftPicture } from './pictures.ts';

/** A draft without any AI: it says what the files themselves tell, and that a person has to describe the thing. */
export function composeStub(pictures: readonly DraftPicture[], catalog: Catalog): DraftText {
  const words = pictures.find((picture) => picture.words)?.words;
  const colours = [...new Set(pictures.flatMap((picture) => picture.colours))];
  const title = clip(words && [...words].length >= 5 ? words : `Draft from ${count(pictures.length)}`, 120);
  const lines = pictures.map((picture, index) => `- Picture ${index + 1}: ${describe(picture)}.`);
  const description = [
    `This draft was made without an AI provider, from the files of ${count(pictures.length)} alone:`,
    ...lines,
    'Nothing here says what the pictures show. Please describe the item in your own words before you publish it.',
  ].join('\n');
  return {
    title,
    description,
    category: catalog.mapCategory({ title: words ?? '' }).id,
    condition: 'good',
    tags: colours.slice(0, 10),
    attributes: {},
  };
}

function describe({ width, height, colours, takenOn, words }: DraftPicture): string {
  const shape = width === height ? 'square' : width > height ? 'landscape' : 'portrait';
  return [
    `${shape}, ${width} x ${height} pixels`,
    ...(colours.length > 0 ? [`mostly ${colours.join(' and ')}`] : []),
    ...(takenOn ? [`taken on ${takenOn}`] : []),
    ...(words ? [`its file is named "${words}"`] : []),
  ].join(', ');
}

const count = (pictures: number) => (pictures === 1 ? '1 picture' : `${pictures} pictures`);
