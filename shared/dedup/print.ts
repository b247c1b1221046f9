import { createHash } from 'node:crypto';
import { readTerms, type Terms } from './words.ts';

/** What is known about a listing when it is looked at for duplicates. */
export type Subject = {
  id: string;
  title: string;
  description: string;
  /** Who offers it: a seller, or a shop of the outside world. */
  source?: string;
  category?: string;
  type?: string;
  condition?: string;
  brand?: string;
  model?: string;
  /** Numbers that one thing in the world has: a hull identification number. */
  serial?: string;
  year?: number;
  length_m?: number;
  price?: { amount: number; currency?: string };
  place?: { country?: string; city?: string; lat?: number; lng?: number };
  /** Perceptual hashes of its pictures, 16 hexadecimal digits each. */
  pictures?: string[];
};

/** A listing as far as it is compared: small, kept beside its keys, made anew when the listing changes. */
export type Print = Omit<Subject, 'title' | 'description'> & {
  title: Terms;
  /** The words of the description, as far as kept; none where there is no description worth comparing. */
  description: string[];
  codes: string[];
  /** Minima of so many hashes over the description's runs of three words: equal share for share where the texts are. */
  sketch: number[];
};

/** What is known of a listing beside its texts and pictures, and whether its text is another's. */
export type Traits = Omit<Print, 'title' | 'description' | 'codes' | 'pictures'>;

/** A key of the index holds a brand and a model. */
const LONGEST_NAME = 60;
const LONGEST_SHELF = 120;
const MOST_TELLING = 4;
const MOST_PICTURES = 10;
const MOST_DESCRIBED = 80;
const SKETCH = 16;
const RUN = 3;
/** A description of fewer words says too little to be the same by more than chance. */
const SHORTEST_SKETCHED = 12;

/** The print of a listing: the same for the same listing, on every machine. */
export function printOf(subject: Subject): Print {
  const { title, description, brand, model, serial, pictures = [], ...rest } = subject;
  const described = readTerms(description.slice(0, 6_000), 400);
  return {
    ...rest,
    brand: brand && squeeze(brand),
    model: model && squeeze(model),
    serial: serial && squeeze(serial),
    title: readTerms(title),
    description: described.words.slice(0, MOST_DESCRIBED),
    codes: described.codes.slice(0, 20),
    sketch: sketchOf(described.words),
    pictures: pictures.slice(0, MOST_PICTURES),
  };
}

/**
 * Where a listing stands when they are gone through: what reads alike stands side by side. The longest words of a title tell
 * the most, whatever their order.
 */
export function shelfOf({ brand, model, year, title }: Print): string {
  if (brand && model) return `${brand} ${model} ${year ?? ''}`.slice(0, LONGEST_SHELF);
  const telling = title.words.toSorted((a, b) => b.length - a.length || (a < b ? -1 : 1));
  return telling.slice(0, MOST_TELLING).join(' ').slice(0, LONGEST_SHELF);
}

/** The same for copies of one ad, and for nothing else; undefined where it says too little. Prices and pictures do not count. */
export function copyOf({ title, description, codes, sketch, type, serial, year, length_m, brand, model }: Print) {
  if (sketch.length === 0) return undefined;
  const said = [title.words, description, codes, sketch, type, serial, year, length_m, brand, model];
  return createHash('sha256').update(JSON.stringify(said)).digest('base64url').slice(0, 22);
}

const squeeze = (name: string) => readTerms(name).words.join('').slice(0, LONGEST_NAME);

function sketchOf(words: readonly string[]): number[] {
  if (words.length < SHORTEST_SKETCHED) return [];
  const minima = Array.from({ length: SKETCH }, () => 0xffffffff);
  for (let at = 0; at + RUN <= words.length; at++) {
    const text = words.slice(at, at + RUN).join(' ');
    const [start, step] = [hash(text, FIRST), hash(text, SECOND) | 1];
    for (let index = 0; index < SKETCH; index++)
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
