import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { AxeResults } from 'axe-core';
import type { Page } from 'playwright';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** What axe finds, as rule and place. */
export async function listViolations(page: Page): Promise<string[]> {
  await page.evaluate(axe);
  const { violations } = await page.evaluate<AxeResults>('axe.run()');
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id}: ${String(target)} ${failureSummary ?? ''}`),
  );
}

/** How far the page is wider than the window in pixels, the targets that are too small for a finger, and the layout shift. */
export type PageMeasures = { beyond: number; small: string[]; shift: number };

/** Measures a loaded page: targets are small below 44 pixels of height, the whole of a card being that of its link. */
export const measurePage = (page: Page): Promise<PageMeasures> => page.evaluate<PageMeasures>(measure);

/** It runs in the page. */
const measure = `(async () => {
  const heightOf = (element) => (element.closest('.card') ?? element).getBoundingClientRect().height;
  const small = [...document.querySelectorAll('a, button, summary, select, .check, input:not([type=hidden], [type=checkbox])')].filter(
    (target) =>
      target.checkVisibility() &&
      target.getBoundingClientRect().width > 1 &&
      !target.matches('.skip, p.note a, svg a') &&
      heightOf(target) < 43.5,
  );
  const shift = await new Promise((resolve) => {
    let sum = 0;
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) sum += entry.value;
    }).observe({ type: 'layout-shift', buffered: true });
    requestAnimationFrame(() => requestAnimationFrame(() => resolve(Math.round(sum * 100) / 100)));
  });
  return {
    beyond: document.documentElement.scrollWidth - window.innerWidth,
    small: small.map((target) => target.outerHTML.slice(0, 120) + ' ' + heightOf(target)),
    shift,
  };
})()`;
