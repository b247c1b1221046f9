import { useState } from 'preact/hooks';
import { api } from '../api.js';
import { html } from '../html.js';
import { describeError, say } from '../notices.js';

const languages = {
  en: 'English',
  es: 'Spanish',
  fr: 'French',
  de: 'German',
  it: 'Italian',
  ko: 'Korean',
  ja: 'Japanese',
};

/** @param {string} locale */
export const languageOf = (locale) => languages[locale] ?? locale;

/** Fields for one text in each language; read back with `readTexts`. */
export function TextFields({ name, label, texts = {}, locales, required = true }) {
  return html`<fieldset class="field">
    <legend>${label}</legend>
    ${locales.map(
      (locale) =>
        html`<label class="field">
          <span>${languageOf(locale)}</span>
          <input name="${name}_${locale}" lang=${locale} defaultValue=${texts[locale] ?? ''} required=${required} maxlength="500" />
        </label>`,
    )}
  </fieldset>`;
}

/** The texts of such fields; languages without one are left out. */
export const readTexts = (data, name, locales) =>
  Object.fromEntries(
    locales.map((locale) => [locale, (data.get(`${name}_${locale}`) ?? '').trim()]).filter(([, text]) => text !== ''),
  );

/** @param {{ run_id: string | null, changed: boolean, version: number }} edit */
export const tellEdit = ({ run_id: run, changed, version }) =>
  changed ? `Version ${version} is in force${run ? '; its listings are being moved' : ''}.` : 'Nothing was different.';

/** A form of an edit: `submit` sends it, its errors are told below the fields, and `onDone` is called when it is in force. */
export function EditForm({ submit, onDone, action = 'Save', children }) {
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState(undefined);
  async function send(event) {
    event.preventDefault();
    if (busy) return;
    setBusy(true);
    setError(undefined);
    try {
      say(tellEdit(await submit(new FormData(event.currentTarget))));
      onDone();
    } catch (failure) {
      setError(failure);
    }
    setBusy(false);
  }
  return html`<form class="stack" onSubmit=${send}>
    ${children}
    ${error && html`<p class="note bad" role="alert">${describeError(error)} ${(error.errors ?? []).map(({ message }) => message).join('; ')}</p>`}
    <div class="row"><button class="primary" aria-disabled=${busy}>${action}</button></div>
  </form>`;
}

/** Sends the sections of the settings that have changed. */
export const putSettings = (settings) => api.put('/api/admin/settings', { settings });
