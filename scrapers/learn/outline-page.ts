import { isElement, type DomElement, type DomNode } from '../../shared/kit/html/dom.ts';
import { lineOf } from '../../shared/kit/html/text.ts';
import type { OutlineBlock } from '../../shared/scrapers/proposal.ts';
import { imageSource } from '../extract/images.ts';
import { isHidden } from '../extract/layout.ts';
import { linkAddress } from '../extract/links.ts';
import { bodyOf } from './body-of.ts';
import type { Page } from '../extract/page.ts';

const MAX_BLOCKS = 600;
const MAX_TEXT = 500;
const SKIPPED = new Set(['script', 'style', 'noscript', 'template', 'iframe', 'svg', 'head', 'title', 'option']);
const INLINE = new Set(
  ['b', 'strong', 'i', 'em', 'span', 'small', 'u', 's', 'del', 'ins', 'sup', 'sub', 'br', 'font', 'bdi', 'time'].concat(
    ...['abbr', 'mark', 'label', 'data', 'wbr', 'code'],
  ),
);

/** A page as headings, texts, links and images in their order: what a reader sees, with nothing that could run. */
export function outlinePage(page: Page): OutlineBlock[] {
  const blocks: OutlineBlock[] = [];
  // A stack, not recursion: a page may be nested as deep as it likes.
  const stack: DomNode[] = bodyOf(page).toReversed();
  while (stack.length > 0 && blocks.length < MAX_BLOCKS) {
    const node = stack.pop();
    if (!node) break;
    if (node.type === 'text') {
      const text = node.data.replaceAll(/\s+/g, ' ').trim();
      if (text.length > 1) blocks.push({ kind: 'text', text: text.slice(0, MAX_TEXT) });
      continue;
    }
    if (!isElement(node) || SKIPPED.has(node.name) || isHidden(node)) continue;
    const block = readBlock(node, page);
    if (block) blocks.push(block);
    if (!block || (node.name === 'a' && !block.text)) stack.push(...node.children.toReversed());
    else if (node.name === 'a') blocks.push(...imagesIn(node, page));
  }
  return blocks;
}

function readBlock(element: DomElement, page: Page): OutlineBlock | undefined {
  const { name, attribs } = element;
  if (name === 'img') {
    const url = imageSource(element, page.base);
    return url === undefined ? undefined : { kind: 'image', text: (attribs.alt ?? '').slice(0, MAX_TEXT), url };
  }
  const text = () => lineOf(element, MAX_TEXT);
  if (name === 'a' && attribs.href !== undefined) {
    const url = linkAddress(attribs.href, page.base);
    return url === undefined ? undefined : { kind: 'link', text: text(), url };
  }
  const isPlain = element.children.every((child) => !isElement(child) || INLINE.has(child.name));
  if (/^h[1-6]$/.test(name) && isPlain) return text() === '' ? undefined : { kind: 'heading', text: text() };
  return isPlain && text() !== '' ? { kind: 'text', text: text() } : undefined;
}

function imagesIn(element: DomElement, page: Page): OutlineBlock[] {
  const image = element.children.filter(isElement).find(({ name }) => name === 'img');
  const block = image && readBlock(image, page);
  return block ? [block] : [];
}
