import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import sharp from 'sharp';
import type { GreyImage } from '../../shared/adapters/image-windows.ts';
import { coreHashOf, readGrey } from '../../shared/adapters/images.ts';
import { bandsToLookUp, coreBands, nearestProbe, probesOf } from '../../shared/scams/image-probes.ts';
import { matchBlocks, type BlockMatch } from '../../shared/scams/match-images.ts';
import { MAX_PROBE_BITS } from '../../shared/scams/find-copied-images.ts';
import { dataFile } from '../support/data.ts';

/** A real photo as it would be stored. */
export type Photo = { name: string; part: 'fit' | 'report'; webp: Buffer; grey: GreyImage; core: bigint };
/** One altered photo against what it was made of and all others: what the look-up finds, and how well blocks agree. */
export type Attempt = {
  alteration: string;
  part: Photo['part'];
  own: BlockMatch | undefined;
  others: BlockMatch[];
};

/** What is no photo, or shows the same thing as another file. */
const leftOut =
  /bomb|corrupt__|disallowed|_hflip|_resize|_rotation|09380\.(?:png|webp)|orientation|manifest|README|\.avifs$|heic|HEIC|heif/;

/** Every other photo is for fitting; those of one series are not parted. */
export async function readPhotos(): Promise<Photo[] | undefined> {
  const folders = ['images-real/README.md', 'dedup-shopee-matching/README.md'].map(dataFile);
  if (folders.some((each) => each === undefined)) return undefined;
  const files = [dirname(folders[0]!), join(dirname(folders[1]!), 'images')].flatMap((folder) =>
    readdirSync(folder)
      .filter((name) => !leftOut.test(name))
      .toSorted()
      .map((name) => join(folder, name)),
  );
  const photos: Photo[] = [];
  for (const [index, file] of files.entries()) {
    const webp = await sharp(readFileSync(file))
      .autoOrient()
      .flatten({ background: '#fff' })
      .resize({ width: 1_024, height: 1_024, fit: 'inside', withoutEnlargement: true })
      .toColourspace('srgb')
      .webp({ quality: 80 })
      .toBuffer()
      .catch(() => undefined);
    if (!webp) continue;
    const grey = await readGrey(webp);
    photos.push({ name: file, part: index % 2 === 0 ? 'fit' : 'report', webp, grey, core: coreHashOf(grey) });
  }
  return photos;
}

type Random = () => number;
type Alteration = (webp: Buffer, random: Random) => Promise<Buffer>;

const sizeOf = async (image: Buffer) => {
  const { width, height } = await sharp(image).metadata();
  return { width, height };
};
const angleOf = (random: Random) => (2 + 3 * random()) * (random() < 0.5 ? -1 : 1);

/** What those do to a photo who do not want it to be found. */
export const alterations: Record<string, Alteration> = {
  'crop 5-20 %': async (image, random) => {
    const { width, height } = await sizeOf(image);
    const [across, down] = [0.05 + 0.15 * random(), 0.05 + 0.15 * random()];
    return sharp(image)
      .extract({
        left: Math.floor(random() * across * width),
        top: Math.floor(random() * down * height),
        width: Math.floor((1 - across) * width),
        height: Math.floor((1 - down) * height),
      })
      .jpeg()
      .toBuffer();
  },
  'rotate 2-5°, framed': (image, random) =>
    sharp(image).rotate(angleOf(random), { background: '#000' }).jpeg().toBuffer(),
  'rotate 2-5°, trimmed': async (image, random) => {
    const { width, height } = await sizeOf(image);
    const turned = await sharp(image).rotate(angleOf(random)).toBuffer();
    const frame = await sizeOf(turned);
    const inner = { width: Math.floor(width * 0.88), height: Math.floor(height * 0.88) };
    return sharp(turned)
      .extract({
        left: Math.floor((frame.width - inner.width) / 2),
        top: Math.floor((frame.height - inner.height) / 2),
        ...inner,
      })
      .jpeg()
      .toBuffer();
  },
  're-encode q40': (image) => sharp(image).resize({ width: 600 }).jpeg({ quality: 40 }).toBuffer(),
  brightness: (image, random) =>
    sharp(image)
      .modulate({ brightness: 0.65 + 0.7 * random(), saturation: 0.7 + 0.6 * random() })
      .jpeg()
      .toBuffer(),
  'overlay text': async (image, random) => {
    const { width, height } = await sizeOf(image);
    const top = Math.floor(height * (0.2 + 0.6 * random()));
    const text = `<svg width="${width}" height="${height}"><text x="${width * 0.05}" y="${top}" font-size="${Math.floor(width / 10)}" font-family="sans-serif" fill="white" stroke="black">FOR SALE CALL NOW</text></svg>`;
    return sharp(image)
      .composite([{ input: Buffer.from(text) }])
      .jpeg()
      .toBuffer();
  },
  mirror: (image) => sharp(image).flop().jpeg().toBuffer(),
  'mirror, crop, brightness, text': async (image, random) => {
    let altered = image;
    for (const name of ['mirror', 'crop 5-20 %', 'brightness', 'overlay text'])
      altered = await alterations[name]!(altered, random);
    return altered;
  },
};

/** Linear congruential generator: the same alterations on every machine. */
export function createRandom(seed = 1): Random {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state / 2_147_483_648;
  };
}

/** Alters each photo in each way and looks it up among all, as the marketplace does. */
export async function attemptPhotos(photos: readonly Photo[], rounds: number): Promise<Attempt[]> {
  const random = createRandom();
  const attempts: Attempt[] = [];
  for (let round = 0; round < rounds; round += 1)
    for (const [alteration, alter] of Object.entries(alterations))
      for (const photo of photos) {
        const grey = await readGrey(await alter(photo.webp, random));
        attempts.push({ alteration, part: photo.part, ...lookUp(grey, photo, photos) });
      }
  return attempts;
}

function lookUp(image: GreyImage, own: Photo, photos: readonly Photo[]): Pick<Attempt, 'own' | 'others'> {
  const probes = probesOf(image);
  const bands = new Set(bandsToLookUp(probes));
  const found = photos
    // A photo is looked up among those of its own part.
    .filter(({ part }) => part === own.part)
    .filter(({ core }) => {
      const [high, low] = [Number(BigInt.asUintN(32, core >> 32n)), Number(BigInt.asUintN(32, core))];
      return coreBands(high, low).some((band) => bands.has(band));
    })
    .map((photo) => ({ photo, ...nearestProbe(probes, photo.core) }))
    .filter(({ distance }) => distance <= MAX_PROBE_BITS)
    .map(({ photo, alignment }) => ({ photo, match: matchBlocks(image, photo.grey, alignment) }));
  return {
    own: found.find(({ photo }) => photo === own)?.match,
    others: found.filter(({ photo }) => photo !== own).map(({ match }) => match),
  };
}
