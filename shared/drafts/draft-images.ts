import sharp from 'sharp';
import { FetchError } from '../adapters/fetch-guard.ts';
import type { GuardedFetch } from '../adapters/fetch.ts';
import { ImageError, MAX_IMAGE_BYTES } from '../adapters/images-error.ts';
import { fromPixels, readPixels, release } from '../adapters/images-read.ts';
import type { Storage } from '../adapters/storage.ts';
import type { Deadlines } from '../kit/deadlines.ts';
import { imageKeyOf, ownImageOf } from '../listings/images.ts';
import { nameColours } from './colours.ts';

/** What is known of an image from its file alone. */
export type DraftImage = {
  /** At most 1024 x 1024, without metadata. */
  jpeg: Buffer;
  /** The file as it was found, upright. */
  width: number;
  height: number;
  /** The two colours that most of it has, the more frequent first. */
  colours: string[];
  /** The day in its EXIF data, `2024-05-17`. */
  takenOn: string | undefined;
  /** The words of its file name, where somebody chose them. */
  words: string | undefined;
};

/** An image that cannot be used: the message is public, `index` is its place among those asked about. */
export class ImageFault extends Error {
  readonly index: number;

  constructor(index: number, message: string) {
    super(message);
    this.name = 'ImageFault';
    this.index = index;
  }
}

type Sources = { storage: Storage; fetch: GuardedFetch; config: { staticUrl: string; deadlines: Deadlines } };

const SIDE = 1_024;
const MAX_NAME_LENGTH = 80;

/** Reads images of our own from storage and others through the guarded fetch, in order; one that cannot be used throws ImageFault. */
export async function readDraftImages(
  sources: Sources,
  urls: readonly string[],
  signal: AbortSignal,
): Promise<DraftImage[]> {
  const fetched = await Promise.all(urls.map((url, index) => load(sources, url, index, signal)));
  const described: DraftImage[] = [];
  for (const [index, bytes] of fetched.entries()) {
    signal.throwIfAborted();
    described.push(await describe(bytes, urls[index] ?? '', index, sources.config.deadlines, signal));
  }
  return described;
}

async function load(
  { storage, fetch, config }: Sources,
  url: string,
  index: number,
  signal: AbortSignal,
): Promise<Buffer> {
  const own = ownImageOf(url, config.staticUrl);
  if (own !== undefined) {
    const file = await storage.get(imageKeyOf(own));
    if (!file) throw new ImageFault(index, 'is not an image stored here');
    return file.body;
  }
  try {
    const options = { signal, maxBytes: MAX_IMAGE_BYTES, accept: 'image/*' };
    const { status, body } = await fetch.fetch(url, { ...options, deadline: 'draftImage' });
    if (status >= 200 && status < 300) return body;
    throw new ImageFault(index, `cannot be fetched: its server answers ${status}`);
  } catch (error) {
    if (!(error instanceof FetchError)) throw error;
    throw new ImageFault(index, 'cannot be fetched');
  }
}

async function describe(
  bytes: Buffer,
  url: string,
  index: number,
  { draftImageStep: stepMs, heicDecode: heicMs }: Deadlines,
  signal: AbortSignal,
): Promise<DraftImage> {
  try {
    const pixels = await readPixels(bytes, SIDE, { stepMs, heicMs }, signal);
    const header = await sharp(bytes, { limitInputPixels: false, failOn: 'none' }).metadata();
    const { width, height } = header.autoOrient;
    const jpeg = await fromPixels(pixels).flatten({ background: '#fff' }).jpeg({ quality: 80 }).toBuffer();
    const colours = await nameColours(pixels);
    release(pixels.data);
    return { jpeg, width, height, colours, takenOn: dayOf(header.exif), words: wordsOf(url) };
  } catch (error) {
    if (!(error instanceof ImageError)) throw error;
    throw new ImageFault(index, error.message);
  }
}

/** The first time stamp of an EXIF block is good enough: they all tell of the same shot, or of its editing. */
function dayOf(exif: Buffer | undefined): string | undefined {
  const [, year, month, day] = /\b(\d{4}):(\d\d):(\d\d) \d\d:\d\d:\d\d/.exec(exif?.toString('latin1') ?? '') ?? [];
  const text = `${year}-${month}-${day}`;
  return Number.isNaN(Date.parse(text)) ? undefined : text;
}

/** A file name in words; none for names that machines make, such as hashes and `IMG_2034`. */
function wordsOf(url: string): string | undefined {
  const name = URL.parse(url)?.pathname.split('/').at(-1) ?? '';
  const words = decode(name)
    .replace(/\.[a-z\d]{1,5}$/i, '')
    .replaceAll(/[^\p{L}\p{N}.]+/gu, ' ')
    .trim();
  const isMachine =
    /^(img|dsc[nf]?|pict?|image|photo|screenshot|scan)?[ \d.]*$/i.test(words) || /[\da-f]{16}/i.test(words);
  return isMachine ? undefined : words.slice(0, MAX_NAME_LENGTH).trim();
}

function decode(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}
