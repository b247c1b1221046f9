import { createHash } from 'node:crypto';
import { readParticulars } from './particulars.ts';
import { squeezeSerial } from './serial-number.ts';
import { extractTerms, type Terms } from './terms.ts';

/** What is known about a listing when it is looked at for duplicates. */
export type Subject = {
  id: string;
  title: string;
  description: string;
  /** Where it is offered: the account of a seller here, or a site of the outside world. */
  source?: string;
  /** The keys by which its seller is known: see sellers.ts. None where nothing tells who sells. */
  sellers?: string[];
  category?: string;
  type?: string;
  /** Undefined where the page that it was found on states none. */
  condition?: string;
  brand?: string;
  model?: string;
  /** The number that one object in the world has, such as that of a hull; placeholders are left out. */
  serial?: string;
  /** The number of its kind of goods in trade (GTIN, 14 digits), and the maker's part number. */
  gtin?: string;
  mpn?: string;
  year?: number;
  /** The year in which it was first offered here. */
  listed_in?: number;
  length_m?: number;
  price?: { amount: number; currency?: string };
  place?: { country?: string; region?: string; city?: string; lat?: number; lng?: number };
  /** Difference hashes of its images, 16 hexadecimal digits each. */
  images?: string[];
};

/**
 * The fingerprint of a listing: all that comparison reads of it, stored beside its blocking keys and remade when the
 * listing changes.
 */
export type Fingerprint = Omit<Subject, 'title' | 'description'> & {
  title: Terms;
  /** The first words of the description; none where there is no description worth comparing. */
  description: string[];
  codes: string[];
  /** MinHash signature of the description: 16 slots over word trigrams; the share of equal slots estimates the Jaccard index. */
  minhash: number[];
  /** What the description tells of one object alone: see particulars.ts. */
  particulars?: string[];
};

/** What a fingerprint knows beside texts and images. */
export type Traits = Omit<Fingerprint, 'title' | 'description' | 'codes' | 'images'>;

/** A key of the index holds a brand and a model. */
const MAX_NAME = 60;
const MAX_ORDER_KEY = 120;
const MAX_TELLING = 4;
const MAX_IMAGES = 10;
const MAX_DESCRIBED = 80;
const SLOTS = 16;
const TRIGRAM = 3;
/** A description of fewer words says too little to be the same by more than chance. */
const MIN_WORDS = 12;

/** Fingerprints a listing: deterministic, the same on every machine. */
export function makeFingerprint(subject: Subject): Fingerprint {
  const { title, description, brand, model, serial, mpn, images = [], ...rest } = subject;
  const described = extractTerms(description.slice(0, 6_000), 400);
  return {
    ...rest,
    brand: brand && squeeze(brand),
    model: model && squeeze(model),
    serial: serial && squeezeSerial(serial),
    mpn: mpn && squeeze(mpn),
    title: extractTerms(title),
    description: described.words.slice(0, MAX_DESCRIBED),
    codes: described.codes.slice(0, 20),
    minhash: minhashOf(described.words),
    particulars: readParticulars(description, rest.year, rest.listed_in),
    images: images.slice(0, MAX_IMAGES),
  };
}

/**
 * The sort key of the sorted-neighbourhood scan: listings that read alike are adjacent. The longest words of a title come
 * first, in whatever order it has them.
 */
export function scanOrderKey({ brand, model, year, title }: Fingerprint): string {
  if (brand && model) return `${brand} ${model} ${year ?? ''}`.slice(0, MAX_ORDER_KEY);
  const telling = title.words.toSorted((a, b) => b.length - a.length || (a < b ? -1 : 1));
  return telling.slice(0, MAX_TELLING).join(' ').slice(0, MAX_ORDER_KEY);
}

/** The estimated Jaccard index of two texts by their MinHash signatures, 0 to 1; 0 where one says too little. */
export function minhashSimilarity(one: readonly number[], other: readonly number[]): number {
  if (one.length === 0 || other.length === 0) return 0;
  return one.filter((minimum, slot) => minimum === other[slot]).length / one.length;
}

/** The copy key: equal for copies of one ad alone; undefined where its text says too little. Prices and images do not count. */
export function copyKeyOf({
  title,
  description,
  codes,
  minhash,
  type,
  serial,
  year,
  length_m,
  brand,
  model,
}: Fingerprint) {
  if (minhash.length === 0) return undefined;
  const said = [title.words, description, codes, minhash, type, serial, year, length_m, brand, model];
  return createHash('sha256').update(JSON.stringify(said)).digest('base64url').slice(0, 22);
}

const squeeze = (name: string) => extractTerms(name).words.join('').slice(0, MAX_NAME);

function minhashOf(words: readonly string[]): number[] {
  if (words.length < MIN_WORDS) return [];
  const minima = Array.from({ length: SLOTS }, () => 0xffffffff);
  for (let at = 0; at + TRIGRAM <= words.length; at++) {
    const text = words.slice(at, at + TRIGRAM).join(' ');
    const [start, step] = [hash(text, FIRST), hash(text, SECOND) | 1];
    for (let index = 0; index < SLOTS; index++)
      minima[index] = Math.min(minima[index] ?? 0, mix(start + Math.imul(index, step)));
  }
  return minima;
}

const FIRST = 0x811c9dc5;
const SECOND = 0x9e3779b9;

function hash(text: string, seed: number): number {
  let value = seed;
  for (let at = 0; at < text.length; at++) value = Math.imul(value ^ text.charCodeAt(at), 0x01000193);
  return value;
}

function mix(value: number): number {
  const mixed = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
  return (mixed ^ (mixed >>> 13)) >>> 0;
}
