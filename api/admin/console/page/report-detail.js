import { useState } from 'preact/hooks';
import { api } from './api.js';
import { DecideDialog } from './decide-dialog.js';
import { html } from './html.js';
import { Id, Person } from './links.js';
import { useLive } from './live.js';
import { Button, Empty, ErrorNote, Fresh, Section, Status, Time } from './parts.js';
import { actionsOf, actionTexts, decided, kinds, reasonNames } from './report-words.js';
import { session } from './session.js';
import { useStore } from './store.js';

/** A reported thing with what is said against it, what was decided before, and the decision. */
export function ReportDetail({ id }) {
  const path = `/api/admin/reports/${id}`;
  const loaded = useLive((options) => api.get(path, options), { inputs: [path] });
  const [deciding, setDeciding] = useState(undefined);
  const { data, error, refresh } = loaded;
  if (!data)
    return html`<h1>Report</h1>
      ${
        error?.status === 404
          ? html`<${Empty}>Nobody has reported this, or it is gone for good. <a href="#/reports">All reports</a><//>`
          : html`<${ErrorNote} error=${error} retry=${refresh} />`
      }`;
  const { subject, reports } = data;
  const open = reports.filter(({ status }) => status === 'open');
  const done = async () => {
    setDeciding(undefined);
    await refresh();
  };
  return html`<header class="detail-head">
      <p class="faint"><a href="#/reports">Reports</a></p>
      <h1>${subject.title || kinds[subject.type]}</h1>
      <p class="row">
        <span class="tag">${kinds[subject.type]}</span><${Status} of=${subject.status} /><${Id} of=${subject.id} />
        <span>of <${Person} of=${subject.owner} /></span><${Fresh} of=${loaded} />
      </p>
      ${
        open.length > 0
          ? html`<${Actions} subject=${subject} onDecide=${setDeciding} onDone=${done} />`
          : html`<p class="faint">No report of it is open.</p>`
      }
    </header>
    ${subject.text && html`<${Section} title="What was written"><blockquote class="prose">${subject.text}</blockquote><//>`}
    ${data.context.length > 0 && html`<${Context} of=${data.context} id=${subject.id} />`}
    <${Section} title="Reports"><${Reports} of=${reports} /><//>
    <${History} data=${data} />
    ${
      deciding &&
      html`<${DecideDialog}
        action=${deciding}
        subject=${subject}
        rule=${open[0]?.reason ?? 'other'}
        onDone=${done}
        onClose=${() => setDeciding(undefined)}
      />`
    }`;
}

function Actions({ subject, onDecide, onDone }) {
  const { role } = useStore(session) ?? {};
  const dismiss = async () => {
    await api.post(`api/admin/reports/${subject.id}/decide`, { action: 'dismiss' });
    await onDone();
  };
  const isGone = subject.status === 'deleted' || subject.status === 'removed';
  const possible = actionsOf[subject.type].filter((action) => action === 'warn' || !isGone);
  const last = role === 'moderator' ? 'propose_suspension' : 'suspend';
  return html`<div class="row">
    <${Button} kind="primary" onClick=${dismiss} done="Dismissed: whoever has reported it is told.">Dismiss<//>
    ${[...possible, last].map(
      (action) =>
        html`<button type="button" key=${action} class=${action === 'warn' || action === 'propose_suspension' ? '' : 'danger'} onClick=${() => onDecide(action)}>
          ${actionTexts[action].name}
        </button>`,
    )}
  </div>`;
}

function Context({ of: messages, id }) {
  return html`<${Section} title="The messages around it">
    <ol>
      ${messages.map(
        (message) =>
          html`<li key=${message.id} aria-current=${message.id === id ? 'true' : undefined}>
            ${message.id === id && html`<${Status} of="reported" tone="bad" />${' '}`}
            <strong>${message.sender.name}</strong>: ${message.content}${' '}
            <span class="faint">(<${Time} at=${message.created_at} />)</span>
          </li>`,
      )}
    </ol>
  <//>`;
}

function Reports({ of: reports }) {
  return html`<ul class="note-list" aria-label="Reports">
    ${reports.map(
      ({ id, reason, text, status, reporter, created_at: at }) =>
        html`<li key=${id}>
          <${Status} of=${status} tone=${status === 'open' ? 'bad' : 'off'}>${reasonNames[reason]}<//>
          ${' '}${text ?? html`<span class="faint">without a word</span>`}${' '}
          <span class="faint">(<${Person} of=${reporter} />, here since <${Time} at=${reporter.member_since} />; <${Time} at=${at} />${status === 'open' ? '' : ', decided'})</span>
        </li>`,
    )}
  </ul>`;
}

function History({ data: { decisions, notices, owner_notices: total, subject } }) {
  return html`<${Section} title="Before">
    <p>
      ${total === 0 ? `${subject.owner.name} was never restricted or warned.` : `${subject.owner.name} was restricted or warned ${total === 1 ? 'once' : `${total} times`}, about whatever.`}
      ${' '}<a href="#/audit?subject=${subject.id}">Audit of this</a>
    </p>
    ${decisions.length + notices.length > 0 && html`<${Past} decisions=${decisions} notices=${notices} />`}
  <//>`;
}

const Past = ({ decisions, notices }) =>
  html`<ul aria-label="Decisions">
      ${decisions.map(
        ({ id, action, note, decided_by: by, decided_at: at }) =>
          html`<li key=${id}>
            <${Status} of=${decided[action]} tone=${action === 'dismiss' ? 'off' : 'bad'} /> ${note}${' '}
            <span class="faint">(${by ? html`<${Id} of=${by} />` : 'by rule'}, <${Time} at=${at} />)</span>
          </li>`,
      )}
      ${notices.map(
        ({ id, statement, lifted_at: lifted, appeal, created_at: at }) =>
          html`<li key=${id}>
            ${statement.restriction} ${statement.facts}${' '}
            <span class="faint">(<${Time} at=${at} />${lifted ? html`, over since <${Time} at=${lifted} />` : ''}${appeal ? `, appeal ${appeal.outcome ?? 'open'}` : ''})</span>
          </li>`,
      )}
    </ul>`;
