import { useState } from 'preact/hooks';
import { formatDay, formatNumber } from './format.js';
import { html } from './html.js';

const height = 72;
const width = 300;

/**
 * Counts of days as bars, with their sum; the day under the pointer, or chosen with the arrow keys, is told in words.
 * @param {{ title: string, days: { date: string, count: number }[] | undefined, total?: number, tone?: string }} props
 */
export function Plot({ title, days, total, tone = 'a' }) {
  const [chosen, setChosen] = useState(-1);
  const counts = days ?? [];
  const highest = Math.max(1, ...counts.map(({ count }) => count));
  const step = width / Math.max(1, counts.length);
  const day = counts[chosen];
  const move = (by) =>
    setChosen((at) => Math.min(counts.length - 1, Math.max(0, (at === -1 ? counts.length : at) + by)));
  const onKey = (event) => {
    if (event.key !== 'ArrowLeft' && event.key !== 'ArrowRight') return;
    event.preventDefault();
    move(event.key === 'ArrowLeft' ? -1 : 1);
  };
  const point = (event) => {
    const box = event.currentTarget.getBoundingClientRect();
    setChosen(
      Math.min(counts.length - 1, Math.max(0, Math.floor(((event.clientX - box.left) / box.width) * counts.length))),
    );
  };
  const sum = total ?? counts.reduce((all, { count }) => all + count, 0);
  const best = counts.find(({ count }) => count === highest);
  const peak = best ? `, most on ${formatDay(best.date)}: ${formatNumber(best.count)}` : '';
  const summary = `${title}: ${formatNumber(sum)} in ${counts.length} days${peak}. Arrow keys tell the days.`;
  return html`<figure class="plot ${tone}">
    <figcaption>
      <span>${title}</span>
      <strong class="number">${days ? formatNumber(sum) : '–'}</strong>
    </figcaption>
    <svg
      viewBox="0 0 ${width} ${height}"
      preserveAspectRatio="none"
      role="img"
      aria-label=${summary}
      tabindex="0"
      onKeyDown=${onKey}
      onPointerMove=${point}
      onPointerLeave=${() => setChosen(-1)}
      onBlur=${() => setChosen(-1)}
    >
      <line x1="0" x2=${width} y1=${height - 0.5} y2=${height - 0.5} class="axis" />
      ${counts.map(({ date, count }, index) => {
        const bar = count === 0 ? 0 : Math.max(2, (count / highest) * (height - 6));
        return html`<rect
          key=${date}
          class=${index === chosen ? 'bar chosen' : 'bar'}
          x=${index * step + step * 0.1}
          y=${height - bar}
          width=${step * 0.8}
          height=${bar}
        />`;
      })}
    </svg>
    <p class="plot-legend" aria-live="polite">
      ${
        day
          ? html`<span>${formatDay(day.date)}</span><span class="number">${formatNumber(day.count)}</span>`
          : html`<span>${counts[0] ? formatDay(counts[0].date) : ''}</span
              ><span>${counts.length > 0 ? 'today' : ''}</span>`
      }
    </p>
  </figure>`;
}
