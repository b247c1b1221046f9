import { resolveUrl } from './page.ts';
import type { DomElement } from '../../shared/kit/html/dom.ts';

const LAZY = ['data-zoom-image', 'data-large', 'data-full', 'data-original', 'data-lazy-src', 'data-lazy', 'data-src'];

/** The address of the largest image an `<img>` or `<source>` offers: lazy-loading attributes, srcset, then src. */
export function imageSource(element: DomElement, base: string): string | undefined {
  const { attribs } = element;
  const links = [
    ...LAZY.map((name) => attribs[name]),
    largestOf(attribs.srcset ?? attribs['data-srcset']),
    attribs.src,
  ];
  for (const link of links) {
    const url = link === undefined || link.startsWith('data:') ? undefined : resolveUrl(link, base);
    if (url !== undefined) return url;
  }
  return undefined;
}

/** The candidate of a srcset with the greatest width or density. */
function largestOf(srcset: string | undefined): string | undefined {
  let best: string | undefined;
  let most = -1;
  for (const candidate of (srcset ?? '').slice(0, 20_000).split(/,\s+/)) {
    const [link, size = '1x'] = candidate.trim().split(/\s+/);
    const value = Number.parseFloat(size);
    if (link && value > most) {
      best = link;
      most = value;
    }
  }
  return best;
}
