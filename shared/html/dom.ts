import type { CheerioAPI } from 'cheerio';

type Root = NonNullable<ReturnType<CheerioAPI['root']>[0]>;

/** Any node of a parsed page. */
export type DomNode = Root['children'][number];
/** A tag of a parsed page. */
export type DomElement = Extract<DomNode, { attribs: Record<string, string> }>;

/** True for tags, false for text, comments and directives. */
export function isElement(node: DomNode): node is DomElement {
  return 'attribs' in node;
}
