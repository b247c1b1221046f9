import { api, withQuery } from '../api.js';
import { auditColumns, useTeam } from '../audit-entries.js';
import { html } from '../html.js';
import { KeysetPagination, useCursors } from '../keyset.js';
import { useLive } from '../live.js';
import { Button, Section, Table } from '../parts.js';
import { useQuery } from '../route.js';

const everyMs = 15_000;
const perPage = 50;

/** "suspend user", as it is shown, as the name of the operation. */
const operationOf = (text) =>
  text
    .split(' ')
    .filter(Boolean)
    .map((word, index) => (index === 0 ? word : word.charAt(0).toUpperCase() + word.slice(1)))
    .join('');

/** Who of the administrators and moderators did what, newest first. */
function View() {
  const [{ actor = '', action = '', subject = '' }, change] = useQuery();
  const filter = { actor: actor.trim(), action: operationOf(action), subject: subject.trim() };
  const team = useTeam();
  const cursors = useCursors(JSON.stringify(filter));
  const path = withQuery('/api/admin/audit', { ...filter, cursor: cursors.cursor, limit: perPage });
  const entries = useLive((options) => api.get(path, options), { everyMs, inputs: [path] });
  const field = (name, label, value, hint) =>
    html`<label class="field inline">
      <span>${label}</span>
      <input
        type="search"
        size="16"
        placeholder=${hint}
        value=${value}
        onChange=${(event) => change({ [name]: event.currentTarget.value })}
      />
    </label>`;
  const aside = html`${field('action', 'What', action, 'suspend user')}
    ${field('subject', 'To', subject, 'an id')} ${field('actor', 'By', actor, 'usr_…')}`;
  const clear = () => change({ actor: '', action: '', subject: '' });
  const isFiltered = Object.values(filter).some((value) => value !== '');
  return html`<${Section} title="What administrators and moderators did" live=${entries} aside=${aside}>
    <${Table}
      label="Audit log"
      columns=${auditColumns(team)}
      rows=${entries.data?.results}
      stale=${entries.stale}
      keyOf=${({ id }) => id}
      empty=${
        isFiltered
          ? html`Nothing fits these filters; they take whole names and ids. <${Button} small onClick=${clear}>Show all<//>`
          : 'No administrator or moderator has done anything yet.'
      }
    />
    <${KeysetPagination} cursors=${cursors} of=${entries.data} />
  <//>`;
}

export const page = { path: '#/audit', title: 'Audit', shortcut: 'g a', View };
