import { useState } from 'preact/hooks';
import { api, withQuery } from './api.js';
import { Dialog } from './dialog.js';
import { html } from './html.js';
import { Id, Person } from './links.js';
import { useLive } from './live.js';
import { complain, say } from './notices.js';
import { Pagination, Section, Select, Status, Table, Time } from './parts.js';
import { useQuery } from './route.js';

const everyMs = 30_000;

/** Appeals against what moderators have decided: each is decided by somebody else, where there is somebody. */
export function Appeals() {
  const [{ appeals = 'open', appeals_page: page = '1' }, change] = useQuery();
  const path = withQuery('/api/admin/appeals', { state: appeals, page, limit: 25 });
  const loaded = useLive((options) => api.get(path, options), { everyMs, inputs: [path] });
  const [deciding, setDeciding] = useState(undefined);
  const columns = [
    {
      title: 'Against',
      grow: true,
      render: ({ notice, text }) =>
        html`<${Id} of=${notice.subject.id}>${notice.statement.restriction}<//><br /><span class="faint">${text}</span>`,
    },
    { title: 'By', phone: false, render: ({ user }) => html`<${Person} of=${user} />` },
    {
      title: 'State',
      render: ({ outcome }) =>
        html`<${Status} of=${outcome ?? 'open'} tone=${outcome === 'granted' ? 'good' : undefined} />`,
    },
    { title: 'When', align: 'end', phone: false, render: ({ created_at: at }) => html`<${Time} at=${at} />` },
    {
      title: '',
      align: 'end',
      render: (row) =>
        row.outcome === null &&
        html`<button type="button" class="small" onClick=${() => setDeciding(row)}>Decide …</button>`,
    },
  ];
  const done = async () => {
    setDeciding(undefined);
    await loaded.refresh();
  };
  const aside = html`<${Select}
    label="State"
    value=${appeals}
    options=${['open', 'decided']}
    onChange=${(value) => change({ appeals: value, appeals_page: undefined })}
  />`;
  return html`<${Section} title="Appeals" live=${loaded} aside=${aside}>
    <${Table}
      label="Appeals"
      columns=${columns}
      rows=${loaded.data?.results}
      stale=${loaded.stale}
      keyOf=${({ id }) => id}
      empty=${appeals === 'open' ? 'No appeal waits.' : 'No appeal was decided yet.'}
    />
    <${Pagination} label="Pages of the appeals" of=${loaded.data?.pagination} onPage=${(next) => change({ appeals_page: next })} />
    ${deciding && html`<${AppealDialog} appeal=${deciding} onDone=${done} onClose=${() => setDeciding(undefined)} />`}
  <//>`;
}

function AppealDialog({ appeal, onDone, onClose }) {
  const [answer, setAnswer] = useState('');
  const [busy, setBusy] = useState(false);
  const { notice, user, text } = appeal;
  const decide = (outcome) => async () => {
    if (busy) return;
    setBusy(true);
    try {
      await api.post(`/api/admin/appeals/${appeal.id}/decide`, {
        outcome,
        ...(answer.trim() && { answer: answer.trim() }),
      });
      say(outcome === 'granted' ? 'Granted: it is back as it was.' : 'Refused: they are told.');
      await onDone();
    } catch (error) {
      complain(error);
      setBusy(false);
    }
  };
  return html`<${Dialog} wide title="Appeal of ${user.name}" onClose=${onClose}>
    <div class="stack">
      <p><strong>${notice.statement.restriction}</strong> ${notice.statement.ground}</p>
      <blockquote class="prose">${notice.statement.facts}</blockquote>
      <p>They say:</p>
      <blockquote class="prose">${text}</blockquote>
      <p><a href="#/reports/${notice.subject.id}">The reports and decisions about it</a></p>
      <label class="field">
        <span>Answer, for them to read</span>
        <textarea autofocus rows="3" maxlength="2000" value=${answer} onInput=${(event) => setAnswer(event.currentTarget.value)}></textarea>
      </label>
      <div class="row end">
        <button type="button" class="danger" aria-busy=${busy} onClick=${decide('refused')}>Refuse</button>
        <button type="button" class="primary" aria-busy=${busy} onClick=${decide('granted')}>Grant</button>
      </div>
    </div>
  <//>`;
}
