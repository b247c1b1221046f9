import { isOfType, itemsOf, textFrom } from './items.ts';
import type { Item } from './items.ts';

const THINGS = new Set([
  ...['product', 'individualproduct', 'someproducts', 'productmodel', 'productgroup', 'productcollection'],
  ...['vehicle', 'car', 'motorcycle', 'motorizedbicycle', 'busorcoach', 'boat', 'watercraft', 'sailboat', 'motorboat'],
  ...[
    'realestatelisting',
    'accommodation',
    'apartment',
    'house',
    'singlefamilyresidence',
    'residence',
    'room',
    'suite',
  ],
]);
const OFFERS = new Set(['offer', 'aggregateoffer', 'demand', 'offering']);
const NEVER = new Set(['organization', 'person', 'website', 'searchaction', 'breadcrumblist', 'itemlist', 'review']);
const PAGES = new Set(['webpage', 'itempage', 'aboutpage', 'website']);
const LISTS = new Set(['itemlist', 'offercatalog', 'collectionpage', 'searchresultspage', 'collection']);
/** A thing that has none of these is only mentioned: search pages carry a nameless `Car` for their brand. */
const SUBSTANCE = [
  ...[
    'offers',
    'price',
    'image',
    'photo',
    'sku',
    'productid',
    'mpn',
    'gtin',
    'gtin13',
    'gtin12',
    'gtin8',
    'identifier',
  ],
  ...['url', 'additionalproperty', 'hasvariant', 'mileagefromodometer', 'vehicleidentificationnumber', 'address'],
];
const MAX_CANDIDATES = 1_000;
const MIN_LISTED = 4;

/** An item that may be what the page offers. */
export type Candidate = {
  item: Item;
  /** `main` when the page calls it its main entity, `list` when it stands in a list, else `root`. */
  place: 'main' | 'root' | 'list';
  rank: number;
  name?: string;
  url?: string;
  /** The first link inside the entry, for lists whose entries name no URL. */
  link?: string;
};

/** What tells the page's own thing from others: its addresses, and the titles it carries. */
export type PageIdentity = { isOwnUrl: (url: string) => boolean; titles: string[] };

/**
 * The one thing a page is about, or the things it lists; neither when the items name nothing for sale. `isList` also when
 * the listed things name no address.
 */
export type Selection = { main?: Item; list: Candidate[]; isList: boolean };

/** Decides from the items of one syntax whether the page shows one thing or a list of things. */
export function selectProducts(roots: Item[], page: PageIdentity): Selection {
  const all = collectCandidates(roots);
  const best = Math.max(0, ...all.filter(({ place }) => place !== 'list').map(({ rank }) => rank));
  const single = all.filter(({ place, rank }) => place !== 'list' && rank === best);
  const main = pickMain(single, page) ?? pickOwn(all, page);
  if (main) return { main: adoptOffer(main.item, all), list: [], isList: false };
  const list = all.flatMap((candidate) => {
    const url = candidate.url ?? candidate.link;
    return url === undefined ? [] : [{ ...candidate, url }];
  });
  if (list.length > 0) return { list, isList: true };
  const outstanding = pickOutstanding(single);
  if (outstanding) return { main: adoptOffer(outstanding.item, all), list: [], isList: false };
  return { list: [], isList: single.length >= MIN_LISTED };
}

/** Among things without any address the one that is described far better than the others. */
function pickOutstanding(single: Candidate[]): Candidate | undefined {
  const [best, second] = single.toSorted((a, b) => completeness(b) - completeness(a));
  return best && completeness(best) >= (second ? completeness(second) : 0) + 3 ? best : undefined;
}

function pickMain(single: Candidate[], page: PageIdentity): Candidate | undefined {
  const named = single.filter(({ place }) => place === 'main');
  if (named.length === 1) return named[0];
  if (single.length === 1) {
    const [only] = single;
    const isElsewhere = only?.url !== undefined && !page.isOwnUrl(only.url) && !isTitled(only, page);
    return isElsewhere && only.place === 'list' ? undefined : only;
  }
  const own = pickOwn(single, page);
  if (own) return own;
  const names = new Set(single.map(({ name }) => (name === undefined ? '' : plain(name))));
  return names.size === 1 ? mostComplete(single) : undefined;
}

function pickOwn(candidates: Candidate[], page: PageIdentity): Candidate | undefined {
  const byUrl = candidates.filter(({ url, rank }) => rank > 1 && url !== undefined && page.isOwnUrl(url));
  if (byUrl.length > 0) return mostComplete(byUrl);
  const titled = candidates.filter((candidate) => candidate.rank > 1 && isTitled(candidate, page));
  const names = new Set(titled.map(({ name }) => plain(name ?? '')));
  return names.size === 1 ? mostComplete(titled) : undefined;
}

function isTitled({ name }: Candidate, page: PageIdentity): boolean {
  const own = plain(name ?? '');
  if (own.length < 4) return false;
  return page.titles.some((title) => {
    const other = plain(title);
    return other === own || (own.length >= 8 && other.includes(own)) || (other.length >= 8 && own.includes(other));
  });
}

/** Broken nesting often leaves the Offer beside its Product: a page's only bare offer belongs to its only product. */
function adoptOffer(main: Item, all: Candidate[]): Item {
  if (main.props.has('offers') || main.props.has('price') || isOfType(main, OFFERS)) return main;
  const bare = all.filter(({ item, place }) => place === 'root' && isOfType(item, OFFERS)).map(({ item }) => item);
  if (bare.length === 0 || bare.length > 3) return main;
  return { ...main, props: new Map([...main.props, ['offers', bare]]) };
}

function mostComplete(candidates: Candidate[]): Candidate {
  return candidates.reduce((best, next) => (completeness(next) > completeness(best) ? next : best));
}

function completeness({ item }: Candidate): number {
  return item.props.size + (item.props.has('offers') ? 5 : 0);
}

function collectCandidates(roots: Item[]): Candidate[] {
  const found: Candidate[] = [];
  const seen = new Set<Item>();
  const queue: { item: Item; place: Candidate['place']; url?: string }[] = [];
  // A page may name its main entity by reference to an item that stands beside it.
  const pages = roots.filter((item) => isOfType(item, PAGES) && !isOfType(item, LISTS));
  for (const item of pages.flatMap((each) => itemsOf(each, 'mainentity', 'about'))) queue.push({ item, place: 'main' });
  for (const item of roots) queue.push({ item, place: 'root' });
  for (let next = queue.shift(); next && found.length < MAX_CANDIDATES; next = queue.shift()) {
    const { item, place } = next;
    if (seen.has(item)) continue;
    seen.add(item);
    const rank = rankOf(item);
    if (rank > 0) {
      const url = textFrom(item, 'url') ?? offerUrl(item) ?? httpId(item) ?? next.url;
      found.push({ item, place, rank, name: textFrom(item, 'name', 'headline', 'title'), url, link: linkOf(item) });
    }
    for (const inner of itemsOf(item, 'mainentity', 'about')) queue.push({ item: inner, place: 'list' });
    const isList = isOfType(item, LISTS);
    for (const inner of itemsOf(item, 'itemlistelement')) {
      for (const entry of [inner, ...itemsOf(inner, 'item', 'itemoffered')]) {
        if (!isOfType(item, new Set(['breadcrumblist']))) {
          queue.push({ item: entry, place: 'list', url: textFrom(inner, 'url') });
        }
      }
    }
    for (const inner of itemsOf(item, 'hasofferitem', 'hasoffercatalog', 'haspart', 'itemoffered', 'makesoffer')) {
      queue.push({ item: inner, place: isList || !isOfType(item, OFFERS) ? 'list' : place, url: next.url });
    }
    if (isOfType(item, LISTS))
      for (const inner of itemsOf(item, 'offers', 'product')) queue.push({ item: inner, place: 'list' });
  }
  return found;
}

function rankOf(item: Item): number {
  if (isOfType(item, THINGS)) return SUBSTANCE.some((name) => item.props.has(name)) ? 3 : 0;
  if (isOfType(item, NEVER) || isOfType(item, LISTS) || isOfType(item, PAGES)) return 0;
  if (isOfType(item, OFFERS)) return 1;
  return item.props.has('offers') && item.types.length > 0 && item.props.has('name') ? 2 : 0;
}

function offerUrl(item: Item): string | undefined {
  const urls = itemsOf(item, 'offers').map((offer) => textFrom(offer, 'url'));
  return urls.find((url) => url !== undefined);
}

function linkOf(item: Item): string | undefined {
  return item.link ?? itemsOf(item, 'offers').find((offer) => offer.link !== undefined)?.link;
}

function httpId(item: Item): string | undefined {
  return item.id !== undefined && /^https?:/.test(item.id) ? item.id : undefined;
}

/** Letters and digits only, lower case, accents kept: titles are compared by what they say. */
function plain(text: string): string {
  return text
    .toLowerCase()
    .normalize('NFKC')
    .replace(/[^\p{L}\p{N}]+/gu, '');
}
