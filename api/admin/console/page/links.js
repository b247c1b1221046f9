import { html } from './html.js';
import { session } from './session.js';

const pathOf = {
  lst: (id) => `#/listings/${id}`,
  usr: (id) => `#/people/${id}`,
  scr: (id) => `#/scrapers/${id}`,
  run: (id) => `#/runs/${id}`,
  ddg: (id) => `#/duplicates?id=${id}`,
  whk: (id) => `#/webhooks/${id}`,
  rev: (id) => `#/reports/${id}`,
  msg: (id) => `#/reports/${id}`,
  pay: (id) => `#/payments?q=${id}`,
};

/** What moderators have pages for. */
const ofModerators = new Set(['ddg', 'rev', 'msg']);

/** The address of the page about a thing, from its id; undefined for ids that have none, or none for whoever is logged in. */
export function hrefOf(id) {
  const [kind] = String(id).split('_', 1);
  return session.read()?.role === 'moderator' && !ofModerators.has(kind) ? undefined : pathOf[kind]?.(id);
}

/** An id as a link to what it names. */
export function Id({ of: id, children }) {
  const href = hrefOf(id);
  const text = children ?? html`<code>${id}</code>`;
  return href ? html`<a href=${href}>${text}</a>` : text;
}

/** An account by its name. */
export const Person = ({ of: { id, name } }) => html`<${Id} of=${id}>${name}<//>`;
