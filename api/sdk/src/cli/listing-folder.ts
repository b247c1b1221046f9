import { readdir, readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { parse, YAMLParseError } from 'yaml';
import type { components } from '../contract.ts';
import { CommandError } from './command.ts';

export type ListingInput = components['schemas']['CreateListingRequest'];
/** What a folder holds: the listing, and the files of its images in the order of their names. */
export type ListingFolder = { listing: Omit<ListingInput, 'images'>; images: string[] };

const imageTypes = new Set(['.jpg', '.jpeg', '.png', '.webp', '.heic', '.heif', '.avif']);
const textTypes = new Set(['.md', '.txt']);
const MAX_IMAGES = 10;

/** Reads a folder of images and one text; throws a CommandError that says what it lacks. */
export async function readListingFolder(folder: string): Promise<ListingFolder> {
  const names = await readdir(folder).catch((error: unknown) => {
    throw new CommandError(`${folder} cannot be read as a folder.`, { cause: error });
  });
  const shown = names
    .filter((name) => !name.startsWith('.'))
    .toSorted((a, b) => a.localeCompare(b, 'en', { numeric: true }));
  const ofType = (types: Set<string>) => shown.filter((name) => types.has(extname(name).toLowerCase()));
  const texts = ofType(textTypes);
  const images = ofType(imageTypes);
  if (texts.length !== 1)
    throw new CommandError(
      `${folder} has ${texts.length === 0 ? 'no text' : 'several texts'}: one .md or .txt file describes the listing.`,
    );
  if (images.length > MAX_IMAGES)
    throw new CommandError(`${folder} has ${images.length} images: a listing shows at most ${MAX_IMAGES}.`);
  const text = await readFile(join(folder, texts[0] ?? ''), 'utf8');
  return { listing: readListingText(text), images: images.map((name) => join(folder, name)) };
}

/**
 * A listing as a text: YAML front matter with the fields of the API, in which `category` stands for `category_id` and `price` may be
 * `89000 EUR`; then the description. The title may be a Markdown heading above it. What is wrong with a value, the service says.
 */
export function readListingText(text: string): ListingFolder['listing'] {
  const [, matter = '', body = ''] = /^\uFEFF?---\r?\n(.*?)\r?\n---[ \t]*(?:\r?\n(.*))?$/s.exec(text) ?? [];
  const { category, price, ...fields } = readFrontMatter(matter);
  const [, heading, below] = /^\s*# +(.+?)\r?(?:\n(.*))?$/s.exec(body) ?? [];
  const hasHeading = fields['title'] === undefined && heading !== undefined;
  const description = (hasHeading ? (below ?? '') : body).trim();
  return {
    condition: 'good',
    ...(hasHeading && { title: heading.trim() }),
    ...(category !== undefined && { category_id: category }),
    ...(price !== undefined && { price: readPrice(price) }),
    ...(description !== '' && { description }),
    ...fields,
  } as ListingFolder['listing'];
}

function readFrontMatter(matter: string): Record<string, unknown> {
  try {
    const fields: unknown = parse(matter);
    if (typeof fields === 'object' && fields !== null && !Array.isArray(fields))
      return fields as Record<string, unknown>;
  } catch (error) {
    if (!(error instanceof YAMLParseError)) throw error;
    throw new CommandError(`The front matter is not YAML: ${error.message}`, { cause: error });
  }
  throw new CommandError(
    "The text has no front matter: it begins with a line '---', fields such as 'category: sailboats', and '---'.",
  );
}

function readPrice(price: unknown): unknown {
  const [, amount, currency] = /^(\d+(?:\.\d+)?) ?([A-Z]{3})$/.exec(typeof price === 'string' ? price : '') ?? [];
  return amount === undefined ? price : { amount: Number(amount), currency, negotiable: false };
}
