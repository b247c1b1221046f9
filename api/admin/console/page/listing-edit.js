import { useState } from 'preact/hooks';
import { api } from './api.js';
import { categoryOptions, useCategories } from './categories.js';
import { Dialog } from './dialog.js';
import { html } from './html.js';
import { complain, describeError, say } from './notices.js';

const conditions = ['new', 'like_new', 'good', 'fair', 'poor', 'refurbished'];

/** What an administrator may write in a listing, as the API takes it. */
const fieldsOf = ({ title, description, category, condition, price, attributes }) => ({
  title,
  description,
  category_id: category.id,
  condition,
  price: { amount: price.amount, currency: price.currency, negotiable: price.negotiable },
  attributes,
});

/** A text of a form as the kind of value that it was: a number, yes or no, a list, or a text. */
function valueOf(text, before) {
  if (typeof before === 'number' && text.trim() !== '' && Number.isFinite(Number(text))) return Number(text);
  if (typeof before === 'boolean') return /^(?:true|yes|1)$/i.test(text.trim());
  if (Array.isArray(before))
    return text
      .split(',')
      .map((each) => each.trim())
      .filter(Boolean);
  return text.trim();
}

function readForm(form, before) {
  const data = new FormData(form);
  const text = (name) => /** @type {string} */ (data.get(name) ?? '').trim();
  const [names, values] = ['attribute', 'value'].map((name) =>
    /** @type {string[]} */ (data.getAll(name)).map((each) => each.trim()),
  );
  const attributes = names.flatMap((name, index) =>
    name === '' || values[index] === '' ? [] : [[name, valueOf(values[index] ?? '', before.attributes?.[name])]],
  );
  return {
    title: text('title'),
    description: text('description'),
    category_id: text('category_id'),
    condition: text('condition'),
    price: {
      ...before.price,
      amount: Number(text('amount')),
      currency: text('currency').toUpperCase(),
      negotiable: data.has('negotiable'),
    },
    attributes: Object.fromEntries(attributes),
  };
}

const differs = (a, b) => JSON.stringify(a) !== JSON.stringify(b);

/**
 * Changes the texts, the price, the category and the attributes of a listing; what was changed can be taken back. Its
 * fields are uncontrolled: what was typed stays when categories arrive later.
 */
export function ListingEdit({ listing, path, refresh, onClose }) {
  const [before] = useState(() => fieldsOf(listing));
  const [rows, setRows] = useState(() => Object.entries(listing.attributes ?? {}));
  const [error, setError] = useState(undefined);
  const [busy, setBusy] = useState(false);
  const categories = useCategories();
  const known = categoryOptions(categories);
  // Until they are read, and when it is none of them any more, its own is there to be kept.
  const choices = known.some(([id]) => id === before.category_id)
    ? known
    : [[before.category_id, listing.category.name], ...known];

  async function submit(event) {
    event.preventDefault();
    if (busy) return;
    const wanted = readForm(event.currentTarget, before);
    const changed = Object.keys(wanted).filter((name) => differs(wanted[name], before[name]));
    if (changed.length === 0) return onClose();
    const pick = (values) => Object.fromEntries(changed.map((name) => [name, values[name]]));
    setBusy(true);
    setError(undefined);
    try {
      await api.patch(path, pick(wanted));
      onClose();
      say(`Changed: ${wanted.title}`, { label: 'Undo', run: () => takeBack(pick(before)) });
      await refresh();
    } catch (failure) {
      setError(failure);
      setBusy(false);
    }
  }
  async function takeBack(fields) {
    try {
      await api.patch(path, fields);
      say('Taken back.');
    } catch (failure) {
      complain(failure);
    }
    await refresh();
  }

  return html`<${Dialog} wide title="Edit the listing" onClose=${onClose}>
    <form class="form" onSubmit=${submit}>
      <label class="field whole"><span>Title</span><input name="title" required minlength="5" maxlength="120" defaultValue=${before.title} autofocus /></label>
      <label class="field whole">
        <span>Description</span>
        <textarea name="description" required minlength="20" maxlength="5000" rows="8">${before.description}</textarea>
      </label>
      <label class="field">
        <span>Category</span>
        <select name="category_id">
          ${choices.map(([id, name]) => html`<option key=${id} value=${id} selected=${id === before.category_id}>${name}</option>`)}
        </select>
      </label>
      <label class="field">
        <span>Condition</span>
        <select name="condition">
          ${conditions.map((each) => html`<option key=${each} value=${each} selected=${each === before.condition}>${each.replaceAll('_', ' ')}</option>`)}
        </select>
      </label>
      <label class="field">
        <span>Price; 0 is on request</span>
        <input name="amount" type="number" min="0" step="any" required defaultValue=${before.price.amount} />
      </label>
      <label class="field">
        <span>Currency</span><input name="currency" pattern="[A-Za-z]{3}" maxlength="3" required defaultValue=${before.price.currency} />
      </label>
      <label class="check"><input name="negotiable" type="checkbox" defaultChecked=${before.price.negotiable} /><span>Negotiable</span></label>
      <fieldset class="whole attributes">
        <legend>Attributes; one without a value is left out</legend>
        ${rows.map(
          ([name, value], index) =>
            html`<div class="row" key=${`${index} ${name}`}>
              <input name="attribute" aria-label="Name of attribute ${index + 1}" maxlength="100" defaultValue=${name} />
              <input name="value" aria-label="Value of ${name || `attribute ${index + 1}`}" maxlength="500" defaultValue=${[value].flat().join(', ')} />
            </div>`,
        )}
        <button type="button" class="small" onClick=${() => setRows([...rows, ['', '']])}>Another attribute</button>
      </fieldset>
      ${error && html`<p class="note bad whole" role="alert">${describeError(error)}</p>`}
      <div class="row end whole">
        <button type="button" onClick=${onClose}>Leave as it is</button>
        <button class="primary" aria-busy=${busy}>Save</button>
      </div>
    </form>
  <//>`;
}
