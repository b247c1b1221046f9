import type { Catalog } from '../catalog/tree.ts';
import { clip, type DraftText } from './draft.ts';
import type { DraftImage } from './draft-images.ts';

/** A draft without any AI: it says what the files themselves tell, and that a person has to describe the thing. */
export function composeStub(images: readonly DraftImage[], catalog: Catalog): DraftText {
  const words = images.find((image) => image.words)?.words;
  const colours = [...new Set(images.flatMap((image) => image.colours))];
  const title = clip(words && [...words].length >= 5 ? words : `Draft from ${count(images.length)}`, 120);
  const lines = images.map((image, index) => `- Image ${index + 1}: ${describe(image)}.`);
  const description = [
    `This draft was made without an AI provider, from the files of ${count(images.length)} alone:`,
    ...lines,
    'Nothing here says what the images show. Please describe the item in your own words before you publish it.',
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

function describe({ width, height, colours, takenOn, words }: DraftImage): string {
  const shape = width === height ? 'square' : width > height ? 'landscape' : 'portrait';
  return [
    `${shape}, ${width} x ${height} pixels`,
    ...(colours.length > 0 ? [`mostly ${colours.join(' and ')}`] : []),
    ...(takenOn ? [`taken on ${takenOn}`] : []),
    ...(words ? [`its file is named "${words}"`] : []),
  ].join(', ');
}

const count = (images: number) => (images === 1 ? '1 image' : `${images} images`);
