/** A value of a structured item: a text as it stood in the page, or a nested item. */
export type Value = string | Item;

/** One schema.org item, whichever syntax it was written in; type and property names are lower-cased, without prefix. */
export type Item = {
  types: string[];
  id?: string;
  /** The first link inside the item's element: where an entry of a list leads that names no URL itself. */
  link?: string;
  props: Map<string, Value[]>;
};

const PREFIX = /^.*[/#:]/;
const UNFILLED = /^(?:\$\w+|\$?\{+[^{}]*\}+|\[\[?\w+\]?\]|%\w+%|#\w+#|null|undefined|nan|n\/a|none|-+)$/i;
const MAX_VALUES = 200;

/** An item without properties yet. */
export function newItem(types: string[], id?: string): Item {
  return { types: types.map(termOf).filter((type) => type !== ''), id, props: new Map() };
}

/** The bare lower-case term of a type or property name: `http://schema.org/Product`, `schema:product` -> `product`. */
export function termOf(name: string): string {
  const term = name
    .trim()
    .replace(/(?<!\/)\/+$/, '')
    .replace(PREFIX, '')
    .toLowerCase();
  return term.length > 100 ? '' : term;
}

/** False when a property already holds so many values that another one would be left out: spares reading it. */
export function hasRoom(item: Item, name: string): boolean {
  return (item.props.get(termOf(name))?.length ?? 0) < MAX_VALUES;
}

/** Adds a value to a property; empty texts, placeholders that no template filled in (`{{brand}}`, `null`), and values beyond the 200th are left out. */
export function addValue(item: Item, name: string, value: Value): void {
  if (typeof value === 'string' && isBlank(value)) return;
  const key = termOf(name);
  if (key === '') return;
  const values = item.props.get(key);
  if (!values) item.props.set(key, [value]);
  else if (values.length < MAX_VALUES) values.push(value);
}

/** All values of the first of these properties that has any. */
export function propertyValues(item: Item, ...names: string[]): Value[] {
  for (const name of names) {
    const values = item.props.get(name);
    if (values && values.length > 0) return values;
  }
  return [];
}

/** All nested items of these properties, in order. */
export function itemsOf(item: Item, ...names: string[]): Item[] {
  return names.flatMap((name) => (item.props.get(name) ?? []).filter((value) => typeof value !== 'string'));
}

/** The text of a value: itself, or the name (value, url) of the nested item. */
export function valueText(value: Value | undefined): string | undefined {
  if (value === undefined) return undefined;
  if (typeof value === 'string') return value.trim() || undefined;
  for (const name of ['name', 'value', 'title', 'url']) {
    const inner = value.props.get(name)?.find((entry) => typeof entry === 'string');
    if (inner?.trim()) return inner.trim();
  }
  return undefined;
}

/** The first non-empty text among these properties. */
export function textFrom(item: Item, ...names: string[]): string | undefined {
  for (const name of names) {
    for (const value of item.props.get(name) ?? []) {
      const text = valueText(value);
      if (text !== undefined) return text;
    }
  }
  return undefined;
}

/** True when the item is of one of these (lower-case) types. */
export function isOfType(item: Item, types: ReadonlySet<string>): boolean {
  return item.types.some((type) => types.has(type));
}

function isBlank(text: string): boolean {
  const bare = text.trim();
  return bare === '' || (bare.length < 100 && UNFILLED.test(bare));
}
