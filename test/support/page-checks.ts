import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { AxeResults, RunOptions } from 'axe-core';
import type { Page } from 'playwright';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/**
 * What axe finds, as rule and place: by all its rules, or as told. It stays in the document, which a second look at another width or
 * in other colours costs a third of.
 */
export async function listViolations(page: Page, options: RunOptions = {}): Promise<string[]> {
  if (!(await page.evaluate<boolean>('"axe" in window'))) await page.evaluate(`${axe};0`);
  // Otherwise it also describes each element that is as it should be, for as long as it looks for the others.
  const told = JSON.stringify({ ...options, resultTypes: ['violations'] } satisfies RunOptions);
  const { violations } = await page.evaluate<AxeResults>(`axe.run(${told})`);
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary, html }) =>
      [`${id}:`, String(target), html.slice(0, 100), failureSummary ?? ''].join(' '),
    ),
  );
}

/** Colours alone: of a page that was looked at, and is shown in another scheme. */
export const COLOURS: RunOptions = { runOnly: ['color-contrast'] };

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
