/** A node of an item: attributes are named `@name`, its own text `#`, its parent `..`; equal names make a list. */
export type FeedNode = { [name: string]: FeedValue | FeedValue[] };
export type FeedValue = string | FeedNode;

type Step = { name: string; test?: { name: string; value: string } };
type Path = { anywhere: boolean; steps: Step[] };

const STEP = /^(@?[^/@*#=[\]{}]+|\*|\.\.)(?:\[(@?[^/@*#=[\]{}]+)=([^/[\]]*)\])?$/;

/** One spelling for the names of elements, columns and keys: small letters, with underscores. */
export const feedName = (name: string): string =>
  name
    .trim()
    .toLowerCase()
    .replaceAll(/[\s-]+/g, '_');

/** Whether a text is a path: names with slashes between them, `@attribute`, `*`, `..`, `item[@name=beam]`, `//` before the first. */
export const isFeedPath = (text: string): boolean => text === '' || parsePath(text) !== undefined;

function parsePath(text: string): Path | undefined {
  const anywhere = text.startsWith('//');
  const steps: Step[] = [];
  for (const part of splitPath(anywhere ? text.slice(2) : text)) {
    const [, name, testName, value] = STEP.exec(part) ?? [];
    if (name === undefined) return undefined;
    steps.push({
      name: feedName(name),
      ...(testName !== undefined && { test: { name: feedName(testName), value: (value ?? '').toLowerCase() } }),
    });
  }
  return { anywhere, steps };
}

/** Slashes in brackets divide nothing. */
const splitPath = (text: string): string[] => text.split(/\/(?![^[]*\])/);

/** A compiled path: answers the values it leads to, in the order of the document. */
export type Selector = (node: FeedValue) => FeedValue[];

/** Compiles a path that `isFeedPath` takes. An empty path is the node itself. */
export function compileSelector(text: string): Selector {
  const { steps } = (text === '' ? { steps: [] } : parsePath(text)) ?? { steps: [] };
  return (node) => steps.reduce<FeedValue[]>((found, step) => found.flatMap((each) => take(each, step)), [node]);
}

function take(node: FeedValue, { name, test }: Step): FeedValue[] {
  if (typeof node === 'string') return [];
  const keys = name === '*' ? Object.keys(node).filter(isElement) : [name];
  const values = keys.flatMap((key): FeedValue[] => valuesOf(node[key]));
  return test === undefined
    ? values
    : values.filter((value) =>
        take(value, { name: test.name }).some((each) => feedTextOf(each).toLowerCase() === test.value),
      );
}

const valuesOf = (found: FeedNode[string] | undefined): FeedValue[] =>
  found === undefined ? [] : Array.isArray(found) ? found : [found];

/** An element by its local name: not an attribute, the text, the parent, or the same by its qualified name. */
const isElement = (key: string): boolean => !/^[@#]|^\.\.$|:/.test(key);

/** The text of a value. */
export const feedTextOf = (value: FeedValue): string =>
  (typeof value === 'string' ? value : typeof value['#'] === 'string' ? value['#'] : '').trim();

/** A compiled path to items: whether the names from the root of a document lead to one. */
export type ItemMatcher = (names: readonly string[]) => boolean;

export function compileItemMatcher(texts: readonly string[]): ItemMatcher {
  const paths = texts.flatMap((text) => parsePath(text) ?? []);
  return (names) =>
    paths.some(({ anywhere, steps }) => {
      const from = names.length - steps.length;
      if (from < 0 || (!anywhere && from > 0)) return false;
      return steps.every(({ name }, index) => isCalled(names[from + index] ?? '', name));
    });
}

/** `item` is also the local name of `g:item`. */
const isCalled = (name: string, wanted: string): boolean =>
  wanted === '*' || name === wanted || (!wanted.includes(':') && name.endsWith(`:${wanted}`));

/** The first name of a path: what of an item it is about. */
export const firstName = (text: string): string | undefined => parsePath(text)?.steps[0]?.name;
