import type { RawRecord } from '../../shared/normalize/record-type.ts';
import { imageSource } from './images.ts';
import { ancestorsOf, distanceToHeading, namesOf } from './layout.ts';
import type { Layout } from './layout.ts';
import type { DomElement } from '../../shared/kit/html/dom.ts';

const MAX_IMAGES = 20;
const NEAR = 400;
const CLOSE = 150;
const MIN_SIDE_PIXELS = 60;
const ENOUGH = 3;
const OTHER =
  /logo|icon|sprite|banner|badge|flag|payment|paypal|visa|stars?[_.-]|rating|avatar|spinner|loading|placeholder|pixel|tracking|blank|transparent|captcha|qr-?code|social|adv[_/]/i;
const GALLERY = /gallery|galerie|product|zoom|photo|foto|picture|slide|media|hero|main|thumb|bild/i;

/** What names a smaller edition of an image, before the ending of its address: `-thumb`, `_small`, `-300x200`. */
const SIZE = /[-_.](?:thumb|thumbnail|small|medium|large|preview|\d{2,4}x\d{2,4})(?=\.\w{2,5}(?:\?|$))/i;

type Candidate = { url: string; alt?: string; family: string; score: number };

/**
 * The images of the page's thing: those whose alternative text repeats the title, else the family of addresses that
 * stands nearest to the heading in the greatest number, each once in its largest edition. Logos, icons and what is about other things are left out.
 */
export function readImages(layout: Layout, title: string | undefined): RawRecord['images'] {
  const candidates = layout.page.elements.flatMap((element) => {
    const candidate = element.name === 'img' ? judge(layout, element, title) : undefined;
    return candidate ? [candidate] : [];
  });
  const families = Map.groupBy(candidates, ({ family }) => family);
  let best: { images: Candidate[]; score: number } | undefined;
  for (const images of families.values()) {
    const count = new Set(images.map(({ url }) => url)).size;
    const score = Math.max(...images.map((image) => image.score)) + Math.min(count, 5) * 0.4;
    if (score >= ENOUGH && (!best || score > best.score)) best = { images, score };
  }
  const found = new Map<string, { url: string; alt?: string }>();
  for (const { url, alt } of best?.images ?? []) {
    const key = url.replace(SIZE, '');
    const isWhole = key === url;
    if (isWhole || !found.has(key)) found.set(key, alt === undefined ? { url } : { url, alt });
  }
  return found.size > 0 ? [...found.values()].slice(0, MAX_IMAGES) : undefined;
}

function judge(layout: Layout, element: DomElement, title: string | undefined): Candidate | undefined {
  const alt = element.attribs.alt?.replace(/\s+/g, ' ').trim() || undefined;
  const isTitled = isNamed(alt, title);
  const distance = Math.abs(distanceToHeading(layout, element) ?? NEAR);
  if (!isTitled && (layout.away.has(element) || distance > NEAR)) return undefined;
  const url = imageSource(element, layout.page.base);
  if (url === undefined || /\.(?:svg|gif)(?:\?|$)/i.test(url) || isSmall(element)) return undefined;
  const names = [element, ...ancestorsOf(element, 3)].map(namesOf).join(' ');
  if (!isTitled && OTHER.test(`${new URL(url).pathname} ${alt ?? ''} ${namesOf(element)}`)) return undefined;
  const score =
    (isTitled ? 4 : 0) + (distance < CLOSE ? 1.5 : distance < NEAR ? 1 : 0) + (GALLERY.test(names) ? 1.5 : 0);
  return { url, alt, family: familyOf(url), score };
}

/** Images of other things carry other names. */
function isNamed(alt: string | undefined, title: string | undefined): boolean {
  const opening = title?.slice(0, 25).toLowerCase();
  if (alt === undefined || title === undefined || opening === undefined || opening.length <= 3) return false;
  return alt.toLowerCase().includes(opening) || (alt.length >= 12 && title.toLowerCase().includes(alt.toLowerCase()));
}

function isSmall({ attribs }: DomElement): boolean {
  return [attribs.width, attribs.height].some(
    (side) => /^\d+(?:px)?$/.test(side ?? '') && Number.parseInt(side ?? '', 10) < MIN_SIDE_PIXELS,
  );
}

/** Host and folder without their numbers: the images of one thing lie together. */
function familyOf(url: string): string {
  const { hostname, pathname } = new URL(url);
  return (
    hostname +
    pathname
      .slice(0, pathname.lastIndexOf('/'))
      .replace(/\d+/g, '#')
      .replace(/\/[^/]*[#][^/]*/g, '/#')
  );
}
