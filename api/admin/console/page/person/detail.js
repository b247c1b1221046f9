import { useState } from 'preact/hooks';
import { api, withQuery } from '../api.js';
import { auditColumnsOfOne, useTeam } from '../audit-entries.js';
import { formatMoney, formatNumber } from '../format.js';
import { html } from '../html.js';
import { useLive } from '../live.js';
import { Empty, ErrorNote, Fresh, Section, Status, Table, Time } from '../parts.js';
import { PersonAccess } from './access.js';
import { PersonActions } from './actions.js';
import { PersonPayments } from './payments.js';
import { PersonHistory, PersonListings, PersonReports } from './records.js';
import { SuspendDialog } from '../suspend-dialog.js';

/** All that is known of one account, and what can be done to it. Reading it leaves an entry in the audit log. */
export function PersonDetail({ id }) {
  const path = `/api/admin/users/${id}`;
  const person = useLive((options) => api.get(path, options), { inputs: [path] });
  const acts = useLive((options) => api.get(withQuery('/api/admin/audit', { subject: id, limit: 20 }), options), {
    inputs: [id],
  });
  const team = useTeam();
  const [suspending, setSuspending] = useState(false);
  if (!person.data)
    return html`<h1>Person</h1>
      ${
        person.error?.status === 404
          ? html`<${Empty}>Nobody has this account, or its owner has left. <a href="#/people">Look for somebody else</a><//>`
          : html`<${ErrorNote} error=${person.error} retry=${person.refresh} />`
      }`;
  const { account } = person.data;
  const changed = async () => {
    setSuspending(false);
    await Promise.all([person.refresh(), acts.refresh()]);
  };
  return html`<header class="detail-head">
      <p class="faint"><a href="#/people">People</a></p>
      <h1>${account.name}</h1>
      <p class="row">
        <${Status} of=${account.status} /><${Status} of=${account.role} />${account.email}<code>${id}</code>
        <${Fresh} of=${person} />
      </p>
      <${PersonActions} detail=${person.data} onChange=${changed} onSuspend=${() => setSuspending(true)} />
    </header>
    <${Suspensions} of=${person.data.suspensions} />
    <div class="detail-grid">
      <div class="stack">
        <${PersonListings} detail=${person.data} />
        <${PersonReports} detail=${person.data} />
        <${PersonPayments} id=${id} />
        <${PersonHistory} events=${person.data.history} id=${id} />
        <${Section} title="What the team did" live=${acts} aside=${html`<a href="#/audit?subject=${id}">All of it</a>`}>
          <${Table}
            label="What the team did"
            columns=${auditColumnsOfOne(team)}
            rows=${acts.data?.results}
            keyOf=${(entry) => entry.id}
            empty="No administrator or moderator has done anything about this account."
          />
        <//>
      </div>
      <div class="stack">
        <${Facts} of=${person.data} />
        <${PersonAccess} detail=${person.data} />
      </div>
    </div>
    ${suspending && html`<${SuspendDialog} account=${account} onDone=${changed} onClose=${() => setSuspending(false)} />`}`;
}

function Suspensions({ of: suspensions }) {
  if (suspensions.length === 0) return null;
  return html`<${Section} title="Suspensions">
    <ul class="note-list" aria-label="Suspensions">
      ${suspensions.map(
        ({ id, reason, suspended_at: at, until, ended_at: ended }) =>
          html`<li key=${id}>
            <${Status} of=${ended ? 'ended' : 'suspended'} /> ${reason}${' '}<span class="faint"
              >(<${Time} at=${at} />${ended ? html`, ended <${Time} at=${ended} />` : until && html`, ends <${Time} at=${until} />`})
            </span>
          </li>`,
      )}
    </ul>
  <//>`;
}

/** One, and several. */
const countNames = {
  rentals: ['rental', 'rentals'],
  bookings: ['booking', 'bookings'],
  conversations: ['conversation', 'conversations'],
  reviews_received: ['review received', 'reviews received'],
  reviews_written: ['review written', 'reviews written'],
  webhooks: ['webhook', 'webhooks'],
  blocked_by: ['person who has blocked them', 'people who have blocked them'],
};

function Facts({ of: { account, language, counts, payments, last_activity_at: active } }) {
  const counted = Object.entries(countNames).filter(([name]) => counts[name] > 0);
  const paid = payments.map(
    ({ currency, count, amount_cents: cents }) =>
      `${formatMoney(cents / 100, currency)} in ${count === 1 ? 'one payment' : `${formatNumber(count)} payments`}`,
  );
  return html`<${Section} title="About">
    <dl class="facts">
      <dt>Email</dt>
      <dd>${account.verified ? 'proved' : 'not proved'}; mails in ${languages.of(language)}</dd>
      <dt>Account</dt>
      <dd>${account.type === 'agent' ? 'a program' : 'a person'}, joined <${Time} at=${account.created_at} /></dd>
      <dt>Last active</dt>
      <dd><${Time} at=${active} empty="never" /></dd>
      <dt>Has</dt>
      <dd>${counted.map(([name, [one, many]]) => `${formatNumber(counts[name])} ${counts[name] === 1 ? one : many}`).join(', ') || 'nothing besides listings'}</dd>
      <dt>Paid</dt>
      <dd>${paid.length === 0 ? 'nothing' : html`<a href="#/payments?q=${account.id}">${paid.join(', ')}</a>`}</dd>
    </dl>
  <//>`;
}

const languages = new Intl.DisplayNames('en', { type: 'language' });
