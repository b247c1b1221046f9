import { createHash } from 'node:crypto';
import sharp from 'sharp';
import type { UploadedFile } from '../http/multipart.ts';
import type { Demo, Kept } from './demo.ts';
import type { People } from './people.ts';
import { createDice } from './draw/dice.ts';
import { daysAgo, DAYS } from './past.ts';
import type { Stock } from './stock.ts';

/** A listing as the demo knows it. */
export type Listed = {
  id: string;
  title: string;
  category: string;
  price: number;
  seller: Kept;
  day: number;
  isPublic: boolean;
};

const AT_ONCE = 4;
const CURRENCY = 'USD';

/** What is listed on a day: stock of its own, and now and then something that another seller has listed before. */
type Entry = { stock: Stock; seller: Kept; copyOf?: Stock };

/** The stock by day, oldest first; every listing has one of the sellers. */
export function planDays(stock: readonly Stock[], { sellers }: People): Entry[][] {
  const days: Entry[][] = Array.from({ length: DAYS }, () => []);
  for (const [n, each] of stock.entries()) {
    const seller = sellers[(n * 7) % sellers.length]!;
    days[(n * 11) % DAYS]!.push({ stock: each, seller });
    // The same thing on the pages of another seller, a few days later.
    if (n % 37 === 5) {
      const other = sellers[(n * 7 + 5) % sellers.length]!;
      days[Math.min(DAYS - 1, ((n * 11) % DAYS) + 2)]!.push({ stock: repeat(each), seller: other, copyOf: each });
    }
  }
  return days;
}

/** The same thing as somebody else would offer it. */
function repeat(stock: Stock): Stock {
  return {
    ...stock,
    title: `${stock.title} - reduced`.slice(0, 120),
    description: stock.description.replaceAll('. ', '.\n'),
    price: Math.round(stock.price * 0.99),
  };
}

/** Lists and publishes what a day brings; what its seller has listed already stays as it is. */
export async function listDay(demo: Demo, people: People, day: number, entries: readonly Entry[]): Promise<Listed[]> {
  const { perform, now } = demo;
  const ago = DAYS - 1 - day;
  const listed: Listed[] = [];
  const waiting = [...entries.entries()];
  async function work(): Promise<void> {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      const [n, entry] = next;
      const at = daysAgo(now, ago, 7 + (n * 11) / Math.max(1, entries.length));
      const id = await listOne(demo, entry, at);
      const { title, category, price } = entry.stock;
      // One in forty is still a draft.
      const isPublic = createDice(title).between(0, 1) > 0.025;
      if (id !== undefined) listed.push({ id, title, category, price, seller: entry.seller, day, isPublic });
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  const ids = listed.filter(({ isPublic }) => isPublic).map(({ id }) => id);
  if (ids.length > 0) await perform(people.admin, daysAgo(now, ago, 19), 'publishBulk', { body: { ids } });
  return listed;
}

async function listOne(demo: Demo, { stock, seller, copyOf }: Entry, at: Date): Promise<string | undefined> {
  const { services, perform } = demo;
  const { title, description, category, condition, price, location, attributes } = stock;
  const known = await services.db
    .selectFrom('listings')
    .select('id')
    .where('seller_id', '=', seller.id)
    .where('title', '=', title)
    .executeTakeFirst();
  if (known) return undefined;
  const dice = createDice(title);
  // A few have a gallery; a copy shows the first image of what it is a copy of.
  const views = dice.chance(0.12) ? [0, 1, 2] : dice.chance(0.1) ? [0, 1] : [0];
  const images: { url: string; alt: string }[] = [];
  for (const view of views) {
    const svg = (copyOf ?? stock).draw(view);
    images.push(await uploadDrawing(demo, seller, at, svg, `Illustration: ${title}`));
  }
  const { body } = await perform(seller, at, 'createListing', {
    body: {
      title,
      description,
      category_id: category,
      condition,
      price: { amount: price, currency: CURRENCY, negotiable: dice.chance(0.4) },
      location: { ...location, shipping: price < 500 && dice.chance(0.5) },
      attributes,
      images,
      meta: { language: 'en' },
    },
  });
  return body.id;
}

/** Uploads a drawing as a person would upload a photo: as a JPEG, of which the service makes its own images. */
export async function uploadDrawing(
  { perform }: Demo,
  who: Kept,
  at: Date,
  svg: string,
  alt: string,
): Promise<{ url: string; alt: string }> {
  const bytes = await sharp(Buffer.from(svg)).jpeg({ quality: 82 }).toBuffer();
  const file: UploadedFile = {
    field: 'file',
    name: 'illustration.jpg',
    size: bytes.length,
    sha256: createHash('sha256').update(bytes).digest('hex'),
    read: async () => bytes,
    async *pieces() {
      yield bytes;
    },
  };
  const { body } = await perform(who, at, 'uploadImage', { body: { file: '(binary)', alt }, files: [file] });
  return { url: body.url, alt };
}
