import type { Locale } from '../../shared/profiles/profile.ts';
import { formatDay, formatMoney } from './format.ts';
import { html, type Markup } from './html.ts';

/** A price that held from a day on. */
export type PricePoint = { date: string; amount: number; currency: string };

const WIDTH = 320;
const HEIGHT = 110;
const LEFT = 4;
const TOP = 18;
const BOTTOM = 20;

/** A step chart of prices over time, as SVG with a table's worth of text for those who do not see it; undefined for less than two. */
export function priceChart(locale: Locale, label: string, points: readonly PricePoint[]): Markup | undefined {
  const [first] = points;
  const last = points.at(-1);
  if (!first || !last || points.length < 2) return undefined;
  const amounts = points.map(({ amount }) => amount);
  const [least, most] = [Math.min(...amounts), Math.max(...amounts)];
  const times = points.map(({ date }) => Date.parse(date));
  const [from, to] = [Math.min(...times), Math.max(...times)];
  const x = (time: number) => LEFT + ((time - from) / Math.max(1, to - from)) * (WIDTH - 2 * LEFT);
  const y = (amount: number) => TOP + (1 - (amount - least) / Math.max(1, most - least)) * (HEIGHT - TOP - BOTTOM);
  const round = (value: number) => Math.round(value * 10) / 10;
  const steps = points.map(({ amount }, index) => `H${round(x(times[index]!))}V${round(y(amount))}`);
  const told = points
    .map(({ date, amount, currency }) => `${formatDay(locale, date)}: ${formatMoney(locale, amount, currency)}`)
    .join('; ');
  return html`<svg class="chart" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${label}. ${told}">
<path class="area" d="M${LEFT} ${HEIGHT - BOTTOM}V${round(y(first.amount))}${steps.join('')}V${HEIGHT - BOTTOM}z"/>
<path d="M${round(x(times[0]!))} ${round(y(first.amount))}${steps.join('')}" fill="none" stroke="currentColor" stroke-width="2"/>
<text x="${LEFT}" y="12">${formatMoney(locale, first.amount, first.currency)}</text>
<text x="${WIDTH - LEFT}" y="12" text-anchor="end">${formatMoney(locale, last.amount, last.currency)}</text>
<text x="${LEFT}" y="${HEIGHT - 5}">${formatDay(locale, first.date)}</text>
<text x="${WIDTH - LEFT}" y="${HEIGHT - 5}" text-anchor="end">${formatDay(locale, last.date)}</text>
</svg>`;
}
