import type { CheerioAPI } from 'cheerio';

type Root = NonNullable<ReturnType<CheerioAPI['root']>[0]>;

/** Any node of a parsed page. */
export type DomNode = Root['children'][number];
/** A tag of a parsed page. */
export type DomElement = Extract<DomNode, { attribs: Record<string, string> }>;

/** True for tags, false for text, comments and directives. */
export function isElement(node: DomNode): node is DomElement {
  return node.type === 'tag' || node.type === 'script' || node.type === 'style';
}

/** What the readers of a page ask of an element again and again, kept with it once it is known. */
export type Notes = {
  /** Position in document order. */
  at: number;
  ownText: string | undefined;
  line: { text: string; leastLimit: number } | undefined;
  names: string | undefined;
  words: readonly string[] | undefined;
};

const notes = new WeakMap<DomElement, Notes>();

/** Numbers an element, and lets readers keep notes on it: its tree may not be changed any more. */
export function annotate(element: DomElement, at: number): void {
  notes.set(element, { at, ownText: undefined, line: undefined, names: undefined, words: undefined });
}

/** The notes on an element; undefined in a tree that may change. */
export const annotationsOf = (element: DomElement): Notes | undefined => notes.get(element);
