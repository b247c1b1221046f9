import { slugify } from 'transliteration';

const MAX_LENGTH = 80;
const FALLBACK = 'listing';
// Words that follow a collection in a path of the API and so must not read as a slug.
const reserved = new Set(['ai-generate', 'availability', 'clusters', 'multi-search']);
const options = { lowercase: true, separator: '-', allowedChars: 'a-zA-Z0-9', trim: true } as const;

/**
 * The readable part of an address, made from a title in any script: 1-80 characters of a-z, 0-9 and single hyphens, cut
 * between words. It has no underscore and so never the form of an id, no dot and so never that of a `.md` address.
 */
export function slugBase(title: string): string {
  // A title has at most 120 characters; the cut only bounds the work for foreign input.
  const slug = slugify(title.slice(0, 300).normalize('NFC'), options)
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '');
  if (slug === '') return FALLBACK;
  return shorten(reserved.has(slug) ? `${slug}-${FALLBACK}` : slug, MAX_LENGTH);
}

/** The base with a suffix that sets it apart, still at most 80 characters. */
export function uniqueSlug(base: string, suffix: string): string {
  return `${shorten(base, MAX_LENGTH - suffix.length - 1)}-${suffix.toLowerCase()}`;
}

function shorten(slug: string, maxLength: number): string {
  if (slug.length <= maxLength) return slug;
  const cut = slug.slice(0, maxLength);
  const lastWord = slug[maxLength] === '-' ? maxLength : cut.lastIndexOf('-');
  // A word of half the length or more is cut in its middle rather than dropped.
  return (lastWord > maxLength / 2 ? cut.slice(0, lastWord) : cut).replace(/(?<!-)-+$/, '');
}
