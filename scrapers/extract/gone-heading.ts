import { lineOf } from '../../shared/kit/html/text.ts';
import type { Page } from './page.ts';
import { saysOutOfStock } from './out-of-stock.ts';

const HEADINGS = new Set(['title', 'h1', 'h2']);
const MAX_HEADING = 150;

/** Whether a heading of a page says that its thing is sold, over or no longer available. */
export function headingSaysGone(page: Page): boolean {
  return page.elements.some((element) => {
    if (!HEADINGS.has(element.name)) return false;
    const line = lineOf(element, MAX_HEADING + 1);
    return line.length <= MAX_HEADING && saysOutOfStock(line);
  });
}
