import { useState } from 'preact/hooks';
import { api, withQuery } from '../api.js';
import { useDecisions } from '../decisions.js';
import { Deck, useSelection } from '../deck.js';
import { html } from '../html.js';
import { useKeys } from '../keys.js';
import { Id, Person } from '../links.js';
import { factsOf, Pictures, priceOf } from '../listing-view.js';
import { useLive } from '../live.js';
import { Button, Empty, Fresh, Pagination, Status, Time } from '../parts.js';
import { RejectDialog } from '../reject-dialog.js';
import { useQuery } from '../route.js';
import { ScamEvidence } from '../scam-evidence.js';
import { SellerHistory } from '../seller-history.js';

const queues = {
  reports: { path: 'api/admin/flagged', title: 'Reported', empty: 'No listing is reported.' },
  doubts: { path: 'api/admin/validation-queue', title: 'Doubtful', empty: 'No text is in doubt.' },
};
const perPage = 50;

const toEntry = ({ listing, ...rest }) => ({ id: listing.id, listing, ...rest });
const isDecidable = ({ listing, flags }) => flags !== undefined || ['draft', 'flagged'].includes(listing.status);

async function countWaiting(options) {
  const [reports, doubts] = await Promise.all(
    Object.values(queues).map(({ path }) => api.get(withQuery(path, { limit: 1 }), options)),
  );
  return { doubts: doubts.pagination.total, reports: reports.pagination.total };
}

/** Where one lands: reports come first, as they are about what readers see. */
const fullest = (counts) => (counts?.reports > 0 || !counts?.doubts ? 'reports' : 'doubts');

/** Reports are counted on their own page. */
const count = async (options) => (await countWaiting(options)).doubts;

/** What waits for a moderator: texts in doubt and listings that were reported, one at a time. */
function View() {
  const [query, change] = useQuery();
  const counts = useLive(countWaiting, { on: ['listing.'] });
  const tab = queues[query.tab] ? query.tab : fullest(counts.data);
  const page = Number(query.page) || 1;
  const { path, empty } = queues[tab];
  const waiting = useLive((options) => api.get(withQuery(path, { page, limit: perPage }), options), {
    on: ['listing.'],
    inputs: [tab, page],
  });
  const { decided, settle: settleOne } = useDecisions(() => Promise.all([waiting.refresh(), counts.refresh()]));
  const keyOf = ({ id }) => `${tab} ${id}`;
  const entries = waiting.stale
    ? []
    : (waiting.data?.results ?? []).map(toEntry).filter((entry) => !decided.has(keyOf(entry)));
  const selection = useSelection(entries);
  const settle = (entry, decide, told) => {
    selection.select(entries[selection.index + 1]?.id ?? entries[selection.index - 1]?.id);
    return settleOne(keyOf(entry), decide, () => told(entry.listing.title));
  };

  const tabs = html`<div class="tabs" role="group" aria-label="Queue">
    ${Object.entries(queues).map(
      ([name, { title }]) =>
        html`<button
          type="button"
          key=${name}
          aria-pressed=${name === tab}
          onClick=${() => change({ tab: name, page: undefined, id: undefined })}
        >
          ${title} <span class="number">${counts.data?.[name] ?? ''}</span>
        </button>`,
    )}
  </div>`;
  return html`
    <${Fresh} of=${waiting} />
    <${Deck}
      label="Waiting listings"
      noun="listing"
      entries=${entries}
      selection=${selection}
      tools=${tabs}
      footer=${html`<${Pagination} of=${waiting.data?.pagination} onPage=${(next) => change({ page: next, id: undefined })} />`}
      renderEntry=${renderEntry}
    >
      ${
        selection.entry
          ? html`<${Case} key=${selection.entry.id} entry=${selection.entry} settle=${settle} />`
          : waiting.data && !waiting.stale && html`<${Empty}>${entries.length === 0 ? empty : 'Choose a listing.'}<//>`
      }
    <//>
  `;
}

const whyFlagged = (count, check) =>
  count === 0 && check?.held_at ? 'signs of a scam' : `${count} ${count === 1 ? 'report' : 'reports'}`;

const renderEntry = ({ listing, reasons, count, since, flags, scam_check: check }) =>
  html`<span class="entry-title">${listing.title}</span>
    <span class="entry-note">
      ${reasons ? reasons.map(({ code }) => code.replaceAll('_', ' ')).join(', ') : whyFlagged(count, check)}
      ${' · '}<${Time} at=${since ?? flags?.[0]?.created_at ?? listing.updated_at} />
    </span>`;

/** One listing and what is said against it, with the decision. */
function Case({ entry, settle }) {
  const { listing, reasons, flags, count, scam_check: check } = entry;
  const [rejecting, setRejecting] = useState(false);
  const decidable = isDecidable(entry);
  const decide = (what, body) => () => api.post(`api/admin/listings/${listing.id}/${what}`, body);
  const approve = () => settle(entry, decide('approve'), (title) => `Approved: ${title}`);
  const reject = (reason) => {
    setRejecting(false);
    return settle(entry, decide('reject', reason ? { reason } : {}), (title) => `Rejected: ${title}`);
  };
  useKeys(
    decidable
      ? [
          { keys: 'a', label: 'Approve', run: () => void approve() },
          { keys: 'x', label: 'Reject', run: () => setRejecting(true) },
        ]
      : [],
  );
  return html`<article class="case" aria-label=${listing.title}>
    <header>
      <h2>${listing.title}</h2>
      <p class="row">
        <${Status} of=${listing.status} /><strong>${priceOf(listing)}</strong><${Id} of=${listing.id} />
      </p>
    </header>
    <${ScamEvidence} check=${check} />
    ${reasons && html`<${Doubts} reasons=${reasons} />`} ${flags && html`<${Reports} flags=${flags} count=${count} />`}
    <${Pictures} listing=${listing} />
    <p class="prose" lang=${listing.meta.language}>${listing.description}</p>
    ${listing.tags.length > 0 && html`<p class="row">${listing.tags.map((tag) => html`<span class="tag">${tag}</span>`)}</p>`}
    <dl class="case-facts">
      ${factsOf(listing).map(
        ([name, text]) =>
          text &&
          html`<div>
            <dt>${name}</dt>
            <dd>${text}</dd>
          </div>`,
      )}
      <div>
        <dt>Written</dt>
        <dd><${Time} at=${listing.created_at} /></dd>
      </div>
      <div>
        <dt>Views</dt>
        <dd>${listing.views}</dd>
      </div>
    </dl>
    <${SellerHistory} seller=${listing.seller} except=${listing.id} />
    <footer class="decision">
      ${
        decidable
          ? html`<button type="button" class="primary" onClick=${approve}>Approve <kbd>a</kbd></button>
              <button type="button" class="danger" onClick=${() => setRejecting(true)}>Reject … <kbd>x</kbd></button>`
          : html`<p>This listing is public, and stays so until somebody decides otherwise.</p>
              <${Button}
                confirm=${{ title: 'Flag this listing?', text: 'It waits among the reported ones, where it is approved or rejected.', action: 'Flag' }}
                onClick=${() =>
                  settle(
                    entry,
                    () =>
                      api.post(`api/listings/${listing.id}/flag`, { reason: 'other', description: describe(reasons) }),
                    (title) => `Flagged, to be decided among the reported: ${title}`,
                  )}
              >
                Flag it, to decide
              <//>`
      }
    </footer>
    ${rejecting && html`<${RejectDialog} listing=${listing} reasons=${reasons} flags=${flags} onReject=${reject} onClose=${() => setRejecting(false)} />`}
  </article>`;
}

const describe = (reasons = []) =>
  `Doubts of moderation: ${reasons.map(({ message }) => message).join(' ')}`.slice(0, 2_000);

function Doubts({ reasons }) {
  return html`<ul class="note-list" aria-label="Doubts">
    ${reasons.map(({ code, message }) => html`<li><span class="badge bad">${code.replaceAll('_', ' ')}</span> ${message}</li>`)}
  </ul>`;
}

function Reports({ flags, count }) {
  return html`<ul class="note-list" aria-label="Reports">
    ${flags.map(
      ({ id, reason, description, reporter, created_at: at }) =>
        html`<li key=${id}>
          <span class="badge bad">${reason}</span> ${description ?? html`<span class="faint">without a word</span>`}
          <span class="faint">(<${Person} of=${reporter} />, <${Time} at=${at} />)</span>
        </li>`,
    )}
    ${count > flags.length && html`<li class="faint">and ${count - flags.length} older ones</li>`}
  </ul>`;
}

export const page = { path: '#/moderation', title: 'Moderation', role: 'moderator', shortcut: 'g m', View, count };
