import { useEffect, useRef, useState } from 'preact/hooks';
import { formatMoment } from './format.js';
import { html } from './html.js';

const height = 150;
const dark = matchMedia('(prefers-color-scheme: dark)');

/** A colour of the page as it is now: custom properties are resolved only where they are used. */
function colorOf(element, name) {
  element.style.color = `var(${name})`;
  const { color } = getComputedStyle(element);
  element.style.color = '';
  return color;
}

/**
 * Lines over time (uPlot), in the colours of the page and as wide as there is room; plots of one `group` share their cursor.
 * @param {{ title: string, note?: unknown, points: { at: string }[] | undefined, format: (value: number) => string, group: string,
 *   lines: { name: string, value: (point: any) => number | null, color: string, fill?: boolean, bars?: boolean }[] }} props
 */
export function TimePlot({ title, note, points, lines, format, group }) {
  const frame = useRef(null);
  const [isDark, setDark] = useState(dark.matches);
  useEffect(() => {
    const update = () => setDark(dark.matches);
    dark.addEventListener('change', update);
    return () => dark.removeEventListener('change', update);
  }, []);
  const enough = (points?.length ?? 0) > 1;
  const times = (points ?? []).map(({ at }) => new Date(at).getTime() / 1_000);
  const data = [times, ...lines.map(({ value }) => (points ?? []).map(value))];
  const plot = useRef(null);
  const latest = useRef(data);
  latest.current = data;

  useEffect(() => {
    const element = frame.current;
    if (!enough || !element) return undefined;
    let ended = false;
    let observer;
    async function draw() {
      const { default: UPlot } = await import('uplot');
      if (ended) return;
      plot.current = new UPlot(optionsOf(UPlot, element, { lines, format, group }), latest.current, element);
      observer = new ResizeObserver(() => plot.current?.setSize({ width: element.clientWidth, height }));
      observer.observe(element);
    }
    void draw();
    return () => {
      ended = true;
      observer?.disconnect();
      plot.current?.destroy();
      plot.current = null;
    };
  }, [enough, isDark, group]);
  useEffect(() => plot.current?.setData(data), [points]);

  return html`<figure class="time-plot">
    <figcaption><span>${title}</span> <span class="faint">${note}</span></figcaption>
    ${
      enough
        ? html`<div ref=${frame} role="img" aria-label=${summaryOf(title, points, lines, format)}></div>`
        : html`<p class="empty">${points ? 'The first minutes are being counted.' : '…'}</p>`
    }
  </figure>`;
}

function summaryOf(title, points, lines, format) {
  const last = points.at(-1);
  const told = lines.map(({ name, value }) => {
    const values = points.map(value).filter((each) => each !== null);
    const now = value(last);
    return `${name} ${now === null ? 'unknown' : format(now)}${values.length > 0 ? `, at most ${format(Math.max(...values))}` : ''}`;
  });
  return `${title} since ${formatMoment(points[0].at)}: ${told.join('; ')}`;
}

function optionsOf(UPlot, element, { lines, format, group }) {
  const [text, grid] = [colorOf(element, '--faint'), colorOf(element, '--line')];
  const axis = {
    stroke: text,
    grid: { stroke: grid, width: 1 },
    ticks: { stroke: grid, width: 1 },
    font: '11px system-ui',
  };
  const series = lines.map(({ name, color, fill, bars }) => {
    const stroke = colorOf(element, color);
    return {
      label: name,
      stroke,
      width: bars ? 0 : 1.5,
      fill: fill || bars ? stroke.replace(/^rgb\((.*)\)$/, bars ? 'rgba($1, 0.75)' : 'rgba($1, 0.14)') : undefined,
      points: { show: false },
      value: (_plot, value) => (value === null || value === undefined ? '–' : format(value)),
      ...(bars && { paths: UPlot.paths.bars({ size: [0.7, 24] }) }),
    };
  });
  return {
    width: element.clientWidth,
    height,
    cursor: { sync: { key: group }, points: { size: 6 }, drag: { x: false, y: false } },
    scales: { y: { range: (_plot, _min, max) => [0, max ? max * 1.1 : 1] } },
    axes: [axis, { ...axis, size: 58, values: (_plot, values) => values.map((value) => format(value)) }],
    series: [{ value: (_plot, value) => (value ? formatMoment(value * 1_000) : '–') }, ...series],
  };
}
