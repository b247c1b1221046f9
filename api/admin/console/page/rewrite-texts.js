import { useState } from 'preact/hooks';
import { api, withQuery } from './api.js';
import { Dialog } from './dialog.js';
import { html } from './html.js';
import { Id } from './links.js';
import { useLive } from './live.js';
import { Button, Empty, ErrorNote, Status, Time } from './parts.js';
import { tellQueued } from './rewrite-forms.js';

const pathOf = ({ listing, locale }) => `api/listings/${listing.id}/rewrites/${locale}`;

/** All texts of one listing beside the words that they were made from; each can be asked for again, or written by hand. */
export function RewriteTexts({ id, onClose, onQueued }) {
  const load = (options) => api.get(withQuery('api/admin/rewrite/texts', { listing_id: id, limit: 50 }), options);
  const { data, error, refresh } = useLive(load, { everyMs: 5_000, inputs: [id] });
  const texts = data?.results.toSorted((a, b) => a.locale.localeCompare(b.locale)) ?? [];
  const source = texts[0]?.listing;
  const changed = () => Promise.all([refresh(), onQueued()]);
  return html`<${Dialog} title="Texts of a listing" wide onClose=${onClose}>
    <${ErrorNote} error=${error} retry=${refresh} />
    ${
      source
        ? html`<div class="texts">
            <article class="text" aria-label=${`Original in ${source.language}`}>
              <header><strong>${source.language}</strong> <span class="faint">Original</span></header>
              <p class="row"><${Status} of=${source.status} /><${Id} of=${source.id} /></p>
              <${Words} locale=${source.language} title=${source.title} description=${source.description} />
            </article>
            ${texts.map((text) => html`<${Rewritten} key=${text.locale} text=${text} onChanged=${changed} />`)}
          </div>`
        : data && html`<${Empty}>This listing has no texts.<//>`
    }
  <//>`;
}

function Words({ locale, title, description }) {
  return html`${title && html`<h3 lang=${locale}>${title}</h3>`}
  ${description ? html`<p class="prose" lang=${locale}>${description}</p>` : html`<p class="faint">Readers see the original here.</p>`}`;
}

function Rewritten({ text, onChanged }) {
  const {
    listing,
    locale,
    status,
    title,
    description,
    error,
    attempts,
    edited_by_human: edited,
    updated_at: at,
  } = text;
  const [isEditing, setEditing] = useState(false);
  const again = async () => {
    const answer = await api.post('api/admin/rewrite', { listing_id: listing.id, locales: [locale], force: true });
    await onChanged();
    return answer;
  };
  const release = async () => {
    await api.delete(pathOf(text));
    await onChanged();
  };
  return html`<article class="text" aria-label=${`Rewritten in ${locale}`}>
    <header><strong>${locale}</strong> <span class="faint">${edited ? 'Written by hand' : 'Rewritten'}</span></header>
    <p class="row">
      <${Status} of=${status} />
      <span class="faint">${!edited && `${attempts} ${attempts === 1 ? 'try' : 'tries'}, `}<${Time} at=${at} /></span>
    </p>
    ${error && html`<p class="note bad">${error}</p>`}
    ${
      isEditing
        ? html`<${Edit} text=${text} onSaved=${onChanged} onClose=${() => setEditing(false)} />`
        : html`<${Words} locale=${locale} title=${title} description=${description} />
            <p class="row">
              <button type="button" class="small" onClick=${() => setEditing(true)}>Write by hand</button>
              ${
                edited
                  ? html`<${Button}
                      small
                      kind="danger"
                      confirm=${{ title: 'Drop what was written by hand?', text: 'It may be rewritten again then.', action: 'Drop it' }}
                      onClick=${release}
                      done="Dropped."
                    >
                      Drop
                    <//>`
                  : html`<${Button} small onClick=${again} done=${tellQueued}>Rewrite again<//>`
              }
            </p>`
    }
  </article>`;
}

/** A text as a person writes it: nothing rewrites it from then on. */
function Edit({ text, onSaved, onClose }) {
  const [title, setTitle] = useState(text.title ?? text.listing.title);
  const [description, setDescription] = useState(text.description ?? text.listing.description);
  const save = async () => {
    await api.put(pathOf(text), { title, description });
    onClose();
    await onSaved();
  };
  return html`<form class="stack" lang=${text.locale} onSubmit=${(event) => event.preventDefault()}>
    <label class="field">
      <span>Title</span>
      <input value=${title} maxlength="120" onInput=${(event) => setTitle(event.currentTarget.value)} />
    </label>
    <label class="field">
      <span>Description</span>
      <textarea rows="9" maxlength="5000" value=${description} onInput=${(event) => setDescription(event.currentTarget.value)}></textarea>
    </label>
    <div class="row">
      <${Button} small kind="primary" onClick=${save} done="Saved: nothing rewrites it from now on.">Save<//>
      <button type="button" class="small" onClick=${onClose}>Leave it</button>
    </div>
  </form>`;
}
