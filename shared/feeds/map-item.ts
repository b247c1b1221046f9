import type { RawRecord } from '../normalize/record-type.ts';
import { asList, listFields, type FeedCondition, type FeedMapping, type FeedSource } from './mapping.ts';
import { compileSelector, firstName, feedTextOf, type FeedNode, type FeedValue } from './paths.ts';

const MAX_FACTS = 300;
const MAX_FACT = 2_000;
const MAX_TEXT = 100_000;
const MAX_IMAGES = 100;

type Texts = (node: FeedNode) => string[];

/** An item as its mapping reads it. `raw.url` is the address of its page: of the feed, else made of its id. */
export type MappedItem = { id: string | undefined; isDeleted: boolean; raw: RawRecord } | { problem: string };

/** What an address is made of for items that have none of their own. */
type ItemScope = { site: string; scraperId: string };

/**
 * Compiles a mapping: the function makes a raw record of an item, texts as they stand there. A problem instead when nothing in
 * it says which thing it is, or its address is none.
 */
export function compileMapping(mapping: FeedMapping, scope: ItemScope): (node: FeedNode) => MappedItem {
  const fields = Object.entries(mapping.fields).map(([name, sources = []]) => ({
    name,
    read: compileSources(name, sources),
  }));
  const properties = Object.entries(mapping.properties).map(([label, sources]) => ({
    label,
    read: compileSources(label, sources),
  }));
  const facts = mapping.facts.map(compileFacts);
  const rest = mapping.otherFields ? compileRest(mapping) : undefined;
  const deleted = mapping.deleted.map(compileCondition);

  return (node) => {
    const texts = new Map(fields.map(({ name, read }) => [name, read(node)]));
    const one = (name: string): string | undefined => texts.get(name)?.[0]?.slice(0, MAX_TEXT);
    const id = one('id');
    const url = addressOf(one('url'), id, scope);
    if ('problem' in url) return url;
    const labelled = new Map<string, string>();
    const note = (label: string, text: string) => {
      if (text !== '' && label !== '' && labelled.size < MAX_FACTS && !labelled.has(label))
        labelled.set(label.slice(0, 200), text.slice(0, MAX_FACT));
    };
    for (const { label, read } of properties) for (const text of read(node).slice(0, 1)) note(label, text);
    for (const read of facts) for (const [label, text] of read(node)) note(label, text);
    for (const [label, text] of rest?.(node) ?? []) note(label, text);
    return { id, isDeleted: deleted.some((holds) => holds(node)), raw: toRawRecord(url.url, id, texts, labelled) };
  };
}

function toRawRecord(
  url: string,
  id: string | undefined,
  texts: ReadonlyMap<string, string[]>,
  labelled: ReadonlyMap<string, string>,
): RawRecord {
  const one = (name: string): string | undefined => texts.get(name)?.[0]?.slice(0, MAX_TEXT);
  const images = (texts.get('images') ?? []).flatMap(splitImages).slice(0, MAX_IMAGES);
  const breadcrumbs = texts.get('breadcrumbs') ?? [];
  const place = {
    country: one('country'),
    region: one('region'),
    city: one('city'),
    postalCode: one('postal_code'),
    lat: numberOf(one('lat')),
    lng: numberOf(one('lng')),
    text: one('location'),
  };
  const raw: RawRecord = {
    url,
    title: one('title')?.slice(0, 2_000),
    description: one('description'),
    price: one('price'),
    currency: one('currency'),
    sku: one('sku') ?? id?.slice(0, 200),
    brand: one('brand'),
    model: one('model'),
    gtin: one('gtin'),
    // Feeds write `out_of_stock` where schema.org has `OutOfStock`.
    availability: one('availability')?.replaceAll('_', ' '),
    condition: one('condition'),
    breadcrumbs: breadcrumbs.length > 0 ? breadcrumbs.slice(0, 20) : undefined,
    category: one('category'),
    images: images.length > 0 ? [...new Set(images)].map((image) => ({ url: image })) : undefined,
    location: Object.values(place).some((value) => value !== undefined) ? definedOf(place) : undefined,
    properties: Object.fromEntries(labelled),
    language: one('language'),
  };
  return definedOf(raw);
}

const definedOf = <T extends object>(value: T): T =>
  Object.fromEntries(Object.entries(value).filter(([, each]) => each !== undefined)) as T;

/** Addresses with commas, bars, semicolons or blanks between them; a comma may also be part of one. */
const splitImages = (text: string): string[] =>
  text
    .split(/[\s|;]/)
    .flatMap((part) => part.split(/,(?=https?:\/\/)|,$/i))
    .filter((image) => /^https?:\/\//i.test(image) && image.length <= 2_048 && URL.canParse(image));

function numberOf(text: string | undefined): number | undefined {
  const number = text === undefined ? Number.NaN : Number(text.replace(',', '.'));
  return Number.isFinite(number) ? number : undefined;
}

/** The address of an item; for one that has none, a stable one on the site, under which it is known from feed to feed. */
function addressOf(
  printed: string | undefined,
  id: string | undefined,
  { site, scraperId }: ItemScope,
): { url: string } | { problem: string } {
  if (printed !== undefined) {
    const url = URL.parse(/^www\./i.test(printed) ? `https://${printed}` : printed);
    if (!url || !/^https?:$/.test(url.protocol))
      return { problem: `The address '${printed.slice(0, 200)}' is no http(s) URL.` };
    return { url: url.href };
  }
  if (id === undefined) return { problem: 'The item has neither an address nor an id.' };
  return { url: `https://${site}/?feed=${scraperId}&item=${encodeURIComponent(id.slice(0, 500).toWellFormed())}` };
}

function compileSources(name: string, sources: readonly FeedSource[]): Texts {
  const readers = sources.map(compileSource);
  if (listFields.has(name)) return (node) => readers.flatMap((read) => read(node));
  return (node) => {
    for (const read of readers) {
      const texts = read(node);
      if (texts.length > 0) return texts;
    }
    return [];
  };
}

function compileSource(source: FeedSource): Texts {
  if (typeof source === 'string') return compilePaths([source]);
  const excluded = source.unless && compileCondition(source.unless);
  const read = 'template' in source ? compileTemplate(source.template) : compileSplit(source);
  return (node) => (excluded?.(node) ? [] : read(node));
}

function compileSplit({ path, split, map = {} }: Exclude<FeedSource, string | { template: string }>): Texts {
  const read = compilePaths(asList(path));
  const known = new Map(Object.entries(map).map(([from, to]) => [from.toLowerCase(), to]));
  return (node) =>
    read(node)
      .flatMap((text) => (split === undefined ? [text] : text.split(split).map((part) => part.trim())))
      .map((text) => known.get(text.toLowerCase()) ?? text)
      .filter((text) => text !== '');
}

function compilePaths(paths: readonly string[]): Texts {
  const selectors = paths.map(compileSelector);
  return (node) => {
    for (const select of selectors) {
      const texts = select(node)
        .map(feedTextOf)
        .filter((text) => text !== '');
      if (texts.length > 0) return texts;
    }
    return [];
  };
}

/** `{path}` stands for its text; without one there is no text at all, unless it ends with a question mark. */
function compileTemplate(template: string): Texts {
  const parts = template.split(/\{([^{}]*)\}/).map((part, index) => {
    if (index % 2 === 0) return { text: part };
    return { read: compilePaths([part.replace(/\?$/, '')]), isOptional: part.endsWith('?') };
  });
  return (node) => {
    let text = '';
    for (const part of parts) {
      const value = 'text' in part ? part.text : part.read(node)[0];
      if (value === undefined && !('isOptional' in part && part.isOptional)) return [];
      text += value ?? '';
    }
    return text.trim() === '' ? [] : [text.trim()];
  };
}

function compileCondition({ path, equals }: FeedCondition): (node: FeedNode) => boolean {
  const selectors = asList(path).map(compileSelector);
  const wanted = new Set(equals.map((text) => text.trim().toLowerCase()));
  return (node) =>
    selectors.some((select) => select(node).some((value) => wanted.has(feedTextOf(value).toLowerCase())));
}

type Labelled = [label: string, text: string][];

function compileFacts({
  path,
  label,
  value,
  unit,
  labels = {},
}: FeedMapping['facts'][number]): (node: FeedNode) => Labelled {
  const selectors = asList(path).map(compileSelector);
  const known = new Map(Object.entries(labels).map(([from, to]) => [from.toLowerCase(), to]));
  const [labelOf, valueOf, unitOf] = [label, value, unit].map((each) =>
    each === undefined ? undefined : compileSelector(each),
  );
  const first = (select: ((node: FeedValue) => FeedValue[]) | undefined, element: FeedValue) => {
    const found = select?.(element)[0];
    return found === undefined ? undefined : feedTextOf(found);
  };
  return (node) =>
    selectors.flatMap((select) =>
      select(node).flatMap((element): Labelled => {
        const name = first(labelOf, element);
        const text = valueOf ? first(valueOf, element) : feedTextOf(element);
        if (!name || !text) return [];
        const measure = first(unitOf, element);
        const hasUnit = measure !== undefined && measure !== '' && /^[\d\s.,]+$/.test(text);
        return [[known.get(name.toLowerCase()) ?? name.replaceAll('_', ' '), hasUnit ? `${text} ${measure}` : text]];
      }),
    );
}

/** The texts of an item that no field begins with, under their names. */
function compileRest({ fields, properties }: FeedMapping): (node: FeedNode) => Labelled {
  const sources = [...Object.values(fields), ...Object.values(properties)].flat() as FeedSource[];
  const taken = new Set(sources.flatMap(pathsOf).map(firstName));
  return (node) =>
    Object.entries(node).flatMap(([name, value]): Labelled => {
      if (taken.has(name) || !/^[^@#.:]/.test(name)) return [];
      const text = [value].flat().map(feedTextOf).filter(Boolean).join(', ');
      return text === '' ? [] : [[name.replaceAll('_', ' '), text]];
    });
}

function pathsOf(source: FeedSource): readonly string[] {
  if (typeof source === 'string') return [source];
  if ('path' in source) return asList(source.path);
  return [...source.template.matchAll(/\{([^{}]*?)\??\}/g)].map(([, path = '']) => path);
}
