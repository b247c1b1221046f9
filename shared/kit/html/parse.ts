import { load, type CheerioAPI } from 'cheerio/slim';
import type { DomNode } from './dom.ts';

const PARSING = { xml: { xmlMode: false, decodeEntities: true } };

/** Loading makes a class for each document, which outlives it for a while, and the document with it: one is enough for parsing. */
const parser = load('', PARSING);

/** The first node of some HTML, without correcting its structure: everything, when one element is around it. */
export function parseHtml(html: string): DomNode | undefined {
  const [root] = parser(html).get() as DomNode[];
  return root;
}

/** Selects by CSS in the document of a parsed node. */
export const selectIn = (node: DomNode | undefined): CheerioAPI => load(node?.parent ?? '', PARSING);
