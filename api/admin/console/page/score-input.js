import { html } from './html.js';

/**
 * The score from which on groups of duplicates count, as it is typed; where nothing is, the usual one stands faintly.
 * @param {{ label: string, value: string, isMerging: boolean, inline?: boolean, onChange: (value: string) => void }} props
 */
export function ScoreInput({ label, value, isMerging, inline = false, onChange }) {
  return html`<label class=${inline ? 'field inline' : 'field'}>
    <span>${label}</span>
    <input
      class="short"
      type="number"
      min="0"
      max="1"
      step="0.01"
      placeholder=${isMerging ? '0.95' : '0.6'}
      value=${value}
      onInput=${(event) => onChange(event.currentTarget.value)}
    />
  </label>`;
}
