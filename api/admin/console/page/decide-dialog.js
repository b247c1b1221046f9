import { useState } from 'preact/hooks';
import { api } from './api.js';
import { Dialog } from './dialog.js';
import { html } from './html.js';
import { complain, say } from './notices.js';
import { actionTexts, decided, reasonNames } from './report-words.js';

const longest = 2_000;

/** Asks for the reasons of a decision: the person is mailed them as a statement, and can appeal. A proposal asks for a note alone. */
export function DecideDialog({ action, subject, rule: proposed, onDone, onClose }) {
  const [ground, setGround] = useState('terms');
  const [rule, setRule] = useState(proposed);
  const [facts, setFacts] = useState('');
  const [explanation, setExplanation] = useState('');
  const [note, setNote] = useState('');
  const [busy, setBusy] = useState(false);
  const isProposal = action === 'propose_suspension';
  const { title, text } = actionTexts[action];
  async function submit(event) {
    event.preventDefault();
    if (busy) return;
    setBusy(true);
    const noted = note.trim() && { note: note.trim() };
    const reasons = {
      ground,
      rule,
      facts: facts.trim(),
      ...(explanation.trim() && { explanation: explanation.trim() }),
    };
    try {
      await api.post(`api/admin/reports/${subject.id}/decide`, { action, ...(isProposal ? {} : reasons), ...noted });
      say(`${subject.title || 'It'}: ${decided[action]}`);
      await onDone();
    } catch (error) {
      complain(error);
      setBusy(false);
    }
  }
  const area = (label, value, set, options = {}) =>
    html`<label class="field">
      <span>${label}</span>
      <textarea rows="3" maxlength=${longest} value=${value} onInput=${(event) => set(event.currentTarget.value)} ...${options}></textarea>
    </label>`;
  const choice = (label, value, set, options) =>
    html`<label class="field">
      <span>${label}</span>
      <select value=${value} onChange=${(event) => set(event.currentTarget.value)}>
        ${options.map(([name, words]) => html`<option value=${name}>${words}</option>`)}
      </select>
    </label>`;
  return html`<${Dialog} title=${title} onClose=${onClose}>
    <form class="stack" onSubmit=${submit}>
      <p><strong>${subject.title}</strong> (${subject.owner.name}). ${text}</p>
      ${
        !isProposal &&
        html`${choice('Against', ground, setGround, [
          ['terms', 'our terms of use'],
          ['law', 'the law'],
        ])}
          ${choice('Because of', rule, setRule, Object.entries(reasonNames))}
          ${area('Facts, for the owner to read', facts, setFacts, { required: true, autofocus: true })}
          ${area(ground === 'law' ? 'Which law, and why' : 'Why that is against the rule', explanation, setExplanation, { required: ground === 'law' })}`
      }
      ${area('Note for moderators', note, setNote, { rows: 2, autofocus: isProposal })}
      <p class="faint">${isProposal ? 'Nobody outside is told.' : 'The owner is mailed a statement of reasons and can appeal; whoever has reported it is told.'}</p>
      <div class="row end">
        <button type="button" onClick=${onClose}>Keep as it is</button>
        <button type="submit" class=${isProposal ? 'primary' : 'danger'} aria-busy=${busy}>${actionTexts[action].name.replace(' …', '')}</button>
      </div>
    </form>
  <//>`;
}
