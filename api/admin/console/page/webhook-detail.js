import { useState } from 'preact/hooks';
import { api, withQuery } from './api.js';
import { Dialog } from './dialog.js';
import { formatDuration } from './format.js';
import { html } from './html.js';
import { Person } from './links.js';
import { useLive } from './live.js';
import { Button, Empty, ErrorNote, Fresh, Pagination, Section, Select, Status, Table, Time } from './parts.js';
import { useQuery } from './route.js';

/** How a webhook is, in a word. */
export const stateOf = ({ active, failing_since: since }) => (!active ? 'paused' : since ? 'failing' : 'active');

const everyMs = 10_000;

/** One webhook of anybody: whose it is, how it does, and what was posted to it. */
export function WebhookDetail({ id }) {
  const path = `/api/admin/webhooks/${id}`;
  const loaded = useLive((options) => api.get(path, options), { everyMs, inputs: [path] });
  const webhook = loaded.data;
  if (!webhook)
    return html`<h1>Webhook</h1>
      ${
        loaded.error?.status === 404
          ? html`<${Empty}>There is no such webhook. <a href="#/webhooks">All webhooks</a><//>`
          : html`<${ErrorNote} error=${loaded.error} retry=${loaded.refresh} />`
      }`;
  const turn = (active) => async () => {
    await api.patch(path, { active });
    await loaded.refresh();
  };
  return html`<header class="detail-head">
      <p class="faint"><a href="#/webhooks">Webhooks</a></p>
      <h1 class="address">${webhook.url}</h1>
      <p class="row"><${Status} of=${stateOf(webhook)} /><code>${webhook.id}</code><${Fresh} of=${loaded} /></p>
      <div class="row">
        ${
          webhook.active
            ? html`<${Button}
                kind="danger"
                confirm=${{
                  title: 'Pause this webhook?',
                  text: 'Nothing is posted to it any more, and what waits is given up. Its owner can switch it on again.',
                  action: 'Pause',
                }}
                onClick=${turn(false)}
                done="The webhook is paused."
                >Pause<//
              >`
            : html`<${Button} kind="primary" onClick=${turn(true)} done="The webhook is switched on.">Switch on<//>`
        }
      </div>
    </header>
    ${webhook.active && webhook.failing_since && html`<p class="note bad">It has failed since <${Time} at=${webhook.failing_since} />: ${webhook.last_error ?? 'nobody knows why'}</p>`}
    <${Section} title="About it">
      <dl class="facts">
        <dt>Of</dt><dd><${Person} of=${webhook.owner} />, ${webhook.owner.email}</dd>
        ${webhook.description && html`<dt>Description</dt><dd>${webhook.description}</dd>`}
        <dt>Events</dt><dd>${webhook.events.join(', ')}${webhook.scope === 'all' ? ', of everybody' : ''}</dd>
        <dt>Waiting</dt><dd>${webhook.pending}</dd>
        <dt>Given up in a day</dt><dd>${webhook.failed_24h}</dd>
        <dt>Made</dt><dd><${Time} at=${webhook.created_at} /></dd>
      </dl>
    <//>
    <${Deliveries} path=${path} active=${webhook.active} />`;
}

function Deliveries({ path: base, active }) {
  const [{ status = '', page = '1' }, setQuery] = useQuery();
  const [opened, setOpened] = useState(undefined);
  const path = withQuery(`${base}/deliveries`, { status, page, limit: 20 });
  const loaded = useLive((options) => api.get(path, options), { everyMs, inputs: [path] });
  const again = (id) => async () => {
    await api.post(`${base}/deliveries/${id}/retry`);
    await loaded.refresh();
  };
  const columns = [
    {
      title: 'Event',
      grow: true,
      render: ({ event_type: type, error }) => html`${type}${error && html`<span class="faint cut">${error}</span>`}`,
    },
    { title: 'State', render: (row) => html`<${Status} of=${row.status} />` },
    { title: 'Answer', align: 'end', phone: false, render: ({ status_code: code }) => code ?? '–' },
    { title: 'Tries', align: 'end', phone: false, render: ({ attempts }) => attempts },
    { title: 'Took', align: 'end', phone: false, render: ({ duration_ms: took }) => formatDuration(took) },
    {
      title: 'When',
      align: 'end',
      render: ({ next_attempt_at: next, created_at: made }) =>
        next ? html`next try <${Time} at=${next} />` : html`<${Time} at=${made} />`,
    },
    {
      title: '',
      align: 'end',
      render: ({ id }) =>
        active && html`<${Button} small onClick=${again(id)} done="The delivery is posted again.">Post again<//>`,
    },
  ];
  return html`<${Section}
    title="Deliveries"
    live=${loaded}
    aside=${html`<${Select}
      label="State"
      value=${status}
      options=${[['', 'all'], 'pending', 'delivered', 'failed']}
      onChange=${(value) => setQuery({ status: value, page: '' })}
    />`}
  >
    <${Table}
      label="Deliveries"
      columns=${columns}
      rows=${loaded.data?.results}
      stale=${loaded.stale}
      keyOf=${({ id }) => id}
      onOpen=${setOpened}
      empty="Nothing was posted in the last 30 days."
    />
    <${Pagination} of=${loaded.data?.pagination} onPage=${(next) => setQuery({ page: next })} />
    ${
      opened &&
      html`<${Dialog} wide title=${opened.event_type} onClose=${() => setOpened(undefined)}>
        <p class="row"><${Status} of=${opened.status} /><code>${opened.id}</code></p>
        ${opened.error && html`<p class="note bad">${opened.error}</p>`}
        <pre tabindex="0">${JSON.stringify(opened.payload, undefined, 2)}</pre>
      <//>`
    }
  <//>`;
}
