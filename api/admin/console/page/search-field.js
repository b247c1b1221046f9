import { useEffect, useRef, useState } from 'preact/hooks';
import { html } from './html.js';
import { useKeys } from './keys.js';

const pauseMs = 300;

/** A search that is asked when one stops to type; `/` leads to it. */
export function SearchField({ label, placeholder, value, onSearch }) {
  const [text, setText] = useState(value);
  const field = useRef(null);
  const timer = useRef(undefined);
  useEffect(() => setText(value), [value]);
  useEffect(() => () => clearTimeout(timer.current), []);
  useKeys([{ keys: '/', label, run: () => field.current.focus() }]);
  const search = (next, waitMs) => {
    setText(next);
    clearTimeout(timer.current);
    timer.current = setTimeout(() => onSearch(next.trim()), waitMs);
  };
  return html`<label class="field search-field">
    <span class="unseen">${label}</span>
    <input
      ref=${field}
      type="search"
      placeholder=${placeholder}
      maxlength="2000"
      value=${text}
      onInput=${(event) => search(event.currentTarget.value, pauseMs)}
      onKeyDown=${(event) => event.key === 'Enter' && search(event.currentTarget.value, 0)}
    />
  </label>`;
}
