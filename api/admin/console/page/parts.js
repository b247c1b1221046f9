import { useEffect, useRef, useState } from 'preact/hooks';
import { confirm } from './dialog.js';
import { formatAge, formatMoment, formatMoney } from './format.js';
import { html } from './html.js';
import { useNow } from './live.js';
import { complain, describeError, say } from './notices.js';

export { Pagination, Table } from './table.js';
export { Plot } from './plot.js';

/**
 * A button that waits for what it does, and cannot be pressed twice meanwhile. `confirm` asks first: a title, or
 * `{title, text, action}`. `done` is told afterwards: a text, or a function of the result. What fails is told, too.
 */
export function Button({
  onClick,
  confirm: question,
  done,
  kind = '',
  children,
  disabled = false,
  small = false,
  ...rest
}) {
  const [busy, setBusy] = useState(false);
  const mounted = useRef(true);
  useEffect(() => () => void (mounted.current = false), []);
  async function press() {
    if (busy) return;
    if (question) {
      const given = typeof question === 'string' ? { title: question } : question;
      const yes = await confirm({ action: textOf(children), danger: kind === 'danger', ...given });
      if (!yes) return;
    }
    setBusy(true);
    try {
      const result = await onClick();
      const told = typeof done === 'function' ? done(result) : done;
      if (told) say(told);
    } catch (error) {
      complain(error);
    } finally {
      if (mounted.current) setBusy(false);
    }
  }
  return html`<button
    type="button"
    class=${[kind, small && 'small'].filter(Boolean).join(' ')}
    disabled=${disabled}
    aria-disabled=${busy}
    aria-busy=${busy}
    onClick=${press}
    ...${rest}
  >
    ${children}
  </button>`;
}

const textOf = (children) => [children].flat().join('').trim();

const tones = new Map(
  Object.entries({
    good: [
      'healthy',
      'succeeded',
      'completed',
      'merged',
      'active',
      'connected',
      'enabled',
      'alive',
      'approved',
      'live',
      'admin',
      'moderator',
      'delivered',
    ],
    busy: ['open', 'running', 'processing', 'queued', 'retry', 'pending', 'detected', 'waiting', 'draft', 'stopping'],
    bad: ['failing', 'failed', 'degraded', 'dead', 'flagged', 'unreachable', 'gone', 'suspended'],
    off: [
      'paused',
      'cancelled',
      'rejected',
      'skipped',
      'disabled',
      'stopped',
      'expired',
      'sold',
      'deleted',
      'user',
      'stub',
      'idle',
      'refunded',
    ],
  }).flatMap(([tone, words]) => words.map((word) => [word, tone])),
);

/** The state of a thing as a badge: its word always, its colour besides. */
export function Status({ of, tone, children }) {
  return html`<span class="badge ${tone ?? tones.get(of) ?? 'off'}">${children ?? of}</span>`;
}

/** How far something is: a bar and a percentage, or a moving bar while nobody knows (`value` null). */
export function Progress({ value, label }) {
  const known = typeof value === 'number';
  const rounded = known ? Math.min(100, Math.max(0, value)) : undefined;
  return html`<span class="progress">
    <progress max="100" value=${rounded} aria-label=${label}></progress>
    <span class="number">${known ? `${Math.floor(rounded * 10) / 10} %` : '…'}</span>
  </span>`;
}

/** What stands where there is nothing to show. */
export function Empty({ children }) {
  return html`<p class="empty">${children}</p>`;
}

/** Why something could not be shown, and a way to try again. */
export function ErrorNote({ error, retry }) {
  if (!error) return null;
  return html`<div class="note bad" role="alert">
    <span>${describeError(error)}</span>
    ${retry && html`<${Button} small onClick=${retry}>Try again<//>`}
  </div>`;
}

/** A moment as its age, with the date on hover. */
export function Time({ at, empty = '–' }) {
  const now = useNow(10_000);
  if (!at) return html`<span class="faint">${empty}</span>`;
  const iso = new Date(at).toISOString();
  return html`<time datetime=${iso} title=${formatMoment(at)}>${formatAge(at, Math.max(now, Date.now()))}</time>`;
}

/** An amount in its currency. */
export function Money({ amount, currency }) {
  return html`<span class="number">${formatMoney(amount, currency)}</span>`;
}

/** How fresh loaded data is, and why it is not: `of` is what `useLive` gave. */
export function Fresh({ of: { data, error, at, refresh } }) {
  if (error && data === undefined) return html`<${ErrorNote} error=${error} retry=${refresh} />`;
  if (data === undefined) return html`<span class="fresh">loading …</span>`;
  if (!error) return html`<span class="fresh live" title="As of ${formatMoment(at)}">live</span>`;
  return html`<span class="fresh stale">
    <span>As of <${Time} at=${at} />:</span>
    <span role="status">${describeError(error)}</span>
    <${Button} small onClick=${refresh}>Try again<//>
  </span>`;
}

/** A part of a page under its heading, with how fresh it is (`live`, of `useLive`) and what belongs to the right. */
export function Section({ title, live, aside, children, id }) {
  return html`<section class="section" aria-label=${title} id=${id}>
    <header class="section-head">
      <div class="row">
        <h2>${title}</h2>
        ${live && html`<${Fresh} of=${live} />`}
      </div>
      <div class="row">${aside}</div>
    </header>
    ${children}
  </section>`;
}

/** A figure and its name; with `href`, the way to what is behind it. */
export function Tile({ name, value, href, tone = '', note }) {
  const content = html`<span class="tile-name">${name}</span>
    <span class="tile-value">${value}</span>
    ${note && html`<span class="tile-note">${note}</span>`}`;
  return href
    ? html`<a class="tile ${tone}" href=${href}>${content}</a>`
    : html`<div class="tile ${tone}">${content}</div>`;
}

/** A labelled choice. `options` are texts, or `[value, text]`. */
export function Select({ label, value, options, onChange }) {
  return html`<label class="field inline">
    <span>${label}</span>
    <select value=${value} onChange=${(event) => onChange(event.currentTarget.value)}>
      ${options.map((option) => {
        const [each, text] = Array.isArray(option) ? option : [option, option];
        return html`<option value=${each} selected=${String(each) === String(value)}>${text}</option>`;
      })}
    </select>
  </label>`;
}
