import { useState } from 'preact/hooks';
import { api } from './api.js';
import { html } from './html.js';
import { useKeys } from './keys.js';
import { Id, Person } from './links.js';
import { ListingEdit } from './listing-edit.js';
import { ListingHistory } from './listing-history.js';
import { factsOf, Pictures, priceOf, webAddress } from './listing-view.js';
import { useLive } from './live.js';
import { complain, say } from './notices.js';
import { Button, Empty, ErrorNote, Fresh, Section, Status, Table, Time } from './parts.js';
import { RemoveDialog } from './remove-dialog.js';
import { ScamEvidence } from './scam-evidence.js';

/** One listing with all that is known of it, and what can be done with it. */
export function ListingDetail({ id }) {
  const path = `/api/admin/listings/${id}`;
  const record = useLive((options) => api.get(path, options), { on: ['listing.'], inputs: [path] });
  if (!record.data)
    return html`<h1>Listing</h1>
      ${
        record.error?.status === 404
          ? html`<${Empty}>There is no such listing. <a href="#/listings">Look for it</a><//>`
          : html`<${ErrorNote} error=${record.error} retry=${record.refresh} />`
      }`;
  const { listing, reports, sources, duplicates, seller, history, scam_check: check } = record.data;
  return html`<header class="detail-head">
      <p class="faint"><a href="#/listings">Listings</a> › ${listing.category.path.join(' › ')}</p>
      <h1>${listing.title}</h1>
      <p class="row">
        <${Status} of=${listing.status} /><strong>${priceOf(listing)}</strong><code>${listing.id}</code>
        <${Fresh} of=${record} />
      </p>
      <${Actions} listing=${listing} path=${path} refresh=${record.refresh} />
    </header>
    <div class="detail-grid">
      <div class="stack">
        <${Section} title="What it says">
          <div class="stack">
            <${Pictures} listing=${listing} most=${12} />
            <p class="prose" lang=${listing.meta.language}>${listing.description}</p>
            <${Facts} listing=${listing} />
            <${Attributes} of=${listing.attributes} />
          </div>
        <//>
        <${ListingHistory} entries=${history} />
      </div>
      <div class="stack">
        <${Seller} of=${seller} />
        <${ScamEvidence} check=${check} />
        <${Reports} of=${reports} />
        <${Duplicates} of=${duplicates} />
        <${Sources} of=${sources} raw=${listing.meta.origin?.raw_record} />
      </div>
    </div>`;
}

function Actions({ listing, path, refresh }) {
  const [open, setOpen] = useState('');
  const { status, title } = listing;
  const canUndo = { active: 'paused', paused: 'active' };
  const settle = (act, told, undo) => async () => {
    try {
      await act();
      say(told, undo && { label: 'Undo', run: settle(undo, 'Taken back.') });
    } catch (error) {
      complain(error);
    }
    await refresh();
  };
  const move = (to) => () => api.post(`${path}/status`, { status: to });
  const show = settle(
    move('active'),
    `On show: ${title}`,
    canUndo[status] && status === 'paused' ? move('paused') : undefined,
  );
  const pause = settle(move('paused'), `Paused: ${title}`, move('active'));
  const restore = settle(
    () => api.post(`${path}/restore`),
    `Restored: ${title}`,
    () => api.delete(path),
  );
  const remove = (reason) => {
    setOpen('');
    const query = reason ? `?${new URLSearchParams({ reason }).toString()}` : '';
    return settle(
      () => api.delete(`${path}${query}`),
      `Deleted: ${title}`,
      () => api.post(`${path}/restore`),
    )();
  };
  const isDeleted = status === 'deleted';
  const labels = { draft: 'Publish', flagged: 'Approve', paused: 'Resume', expired: 'Renew', sold: 'Put back on sale' };
  useKeys(isDeleted ? [] : [{ keys: 'e', label: 'Edit', run: () => setOpen('edit') }]);
  return html`<div class="row">
    ${labels[status] && html`<${Button} kind="primary" onClick=${show}>${labels[status]}<//>`}
    ${status === 'active' && html`<${Button} onClick=${pause}>Pause<//>`}
    ${!isDeleted && html`<button type="button" onClick=${() => setOpen('edit')}>Edit <kbd>e</kbd></button>`}
    ${isDeleted && !listing.merged_into && html`<${Button} kind="primary" onClick=${restore}>Restore<//>`}
    ${listing.merged_into && html`<span>Merged into <${Id} of=${listing.merged_into} /></span>`}
    ${!isDeleted && html`<button type="button" class="danger" onClick=${() => setOpen('remove')}>Delete …</button>`}
    ${status === 'active' && html`<a href="./listings/${listing.slug}" target="_blank" rel="noopener">See it as readers do</a>`}
    ${open === 'edit' && html`<${ListingEdit} listing=${listing} path=${path} refresh=${refresh} onClose=${() => setOpen('')} />`}
    ${open === 'remove' && html`<${RemoveDialog} listing=${listing} onRemove=${remove} onClose=${() => setOpen('')} />`}
  </div>`;
}

function Facts({ listing }) {
  const facts = [
    ...factsOf(listing),
    ['Views', String(listing.views)],
    ['Language', listing.meta.language],
    ['Promotion', listing.premium.active ? listing.premium.type : undefined],
  ];
  return html`<dl class="facts">
    ${facts.map(([name, text]) => text && html`<dt>${name}</dt><dd>${text}</dd>`)}
    <dt>Made</dt><dd><${Time} at=${listing.created_at} /></dd>
    <dt>Changed</dt><dd><${Time} at=${listing.updated_at} /></dd>
    <dt>Expires</dt><dd><${Time} at=${listing.expires_at} /></dd>
  </dl>`;
}

function Attributes({ of }) {
  const entries = Object.entries(of ?? {});
  if (entries.length === 0) return null;
  return html`<details>
    <summary>${entries.length} attributes</summary>
    <dl class="facts">
      ${entries.map(([name, value]) => html`<dt>${name.replaceAll('_', ' ')}</dt><dd>${[value].flat().join(', ')}</dd>`)}
    </dl>
  </details>`;
}

function Seller({ of: seller }) {
  return html`<${Section} title="Seller">
    <p class="row">
      <strong><${Person} of=${seller} /></strong>
      <span class=${seller.verified ? 'badge good' : 'badge off'}>${seller.verified ? 'verified' : 'not verified'}</span>
    </p>
    <p class="faint">${seller.email}, here since <${Time} at=${seller.created_at} /></p>
    <p><a href="#/listings?seller_id=${seller.id}">${seller.listings === 1 ? 'This one listing' : `All ${seller.listings} listings`}</a></p>
  <//>`;
}

function Reports({ of: reports }) {
  if (reports.length === 0) return null;
  return html`<${Section} title="Reports">
    <ul class="note-list">
      ${reports.map(
        ({ id, reason, description, reporter, created_at: at }) =>
          html`<li key=${id}>
            <span class="badge bad">${reason}</span> ${description ?? html`<span class="faint">without a word</span>`}
            <span class="faint"> (<${Person} of=${reporter} />, <${Time} at=${at} />)</span>
          </li>`,
      )}
    </ul>
  <//>`;
}

function Duplicates({ of: groups }) {
  if (groups.length === 0) return null;
  const columns = [
    {
      title: 'Group',
      grow: true,
      render: ({ id, status, members }) =>
        html`<a href="#/duplicates?status=${status}&id=${id}">${members} listings</a>`,
    },
    { title: 'Certainty', align: 'end', render: ({ confidence }) => `${Math.round(confidence * 100)} %` },
    { title: 'State', render: ({ status }) => html`<${Status} of=${status} />` },
  ];
  return html`<${Section} title="Duplicates">
    <${Table} label="Groups of duplicates" columns=${columns} rows=${groups} keyOf=${({ id }) => id} />
  <//>`;
}

function Sources({ of: sources, raw }) {
  if (sources.length === 0) return null;
  return html`<${Section} title="Where it was read">
    ${sources.map(
      (page) =>
        html`<dl class="facts" key=${page.url}>
          <dt>Page</dt>
          <dd><a href=${webAddress(page.url)} target="_blank" rel="noopener noreferrer">${page.url}</a></dd>
          ${page.scraper && html`<dt>Scraper</dt><dd><${Id} of=${page.scraper.id}>${page.scraper.name}<//></dd>`}
          <dt>First read</dt><dd><${Time} at=${page.first_seen_at} /></dd>
          <dt>Last read</dt><dd><${Time} at=${page.scraped_at} />, ${page.times_read} times in all</dd>
          ${page.misses > 0 && html`<dt>Missing</dt><dd>not there ${page.misses} times in a row</dd>`}
          ${page.last_error && html`<dt>Last error</dt><dd>${page.last_error}</dd>`}
        </dl>`,
    )}
    ${raw && html`<details><summary>What the page said</summary><pre tabindex="0">${JSON.stringify(raw, undefined, 2)}</pre></details>`}
  <//>`;
}
