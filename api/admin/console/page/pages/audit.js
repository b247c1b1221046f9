import { api, withQuery } from '../api.js';
import { auditColumns, useTeam } from '../audit-entries.js';
import { actNames } from '../audit-words.js';
import { saveAs } from '../save-as.js';
import { html } from '../html.js';
import { KeysetPagination, useCursors } from '../keyset.js';
import { useLive } from '../live.js';
import { Button, Section, Select, Table } from '../parts.js';
import { useQuery } from '../route.js';

const everyMs = 15_000;
const perPage = 50;
const exportTimeoutMs = 600_000;
const acts = Object.entries(actNames).toSorted(([, one], [, other]) => one.localeCompare(other));

/** The team by name, and whoever is asked for and belongs to it no more. */
const known = (team, actor) => [...team, ...(actor === '' || team.has(actor) ? [] : [[actor, actor]])];

/** Saves all that fits as CSV. */
const exportAs = async (filter) => {
  const options = { accept: 'text/csv', timeoutMs: exportTimeoutMs };
  saveAs('audit.csv', 'text/csv', await api.get(withQuery('/api/admin/audit', filter), options));
};

/** Who of the administrators and moderators did what, newest first. */
function View() {
  const [{ actor = '', action = '', subject = '' }, change] = useQuery();
  const filter = { actor: actor.trim(), action, subject: subject.trim() };
  const team = useTeam();
  const cursors = useCursors(JSON.stringify(filter));
  const path = withQuery('/api/admin/audit', { ...filter, cursor: cursors.cursor, limit: perPage });
  const entries = useLive((options) => api.get(path, options), { everyMs, inputs: [path] });
  const aside = html`<${Select}
      label="What"
      value=${action}
      options=${[['', 'all'], ...acts]}
      onChange=${(value) => change({ action: value })}
    />
    <label class="field inline">
      <span>To</span>
      <input
        type="search"
        size="16"
        placeholder="an id"
        value=${subject}
        onChange=${(event) => change({ subject: event.currentTarget.value })}
      />
    </label>
    <${Select}
      label="By"
      value=${actor}
      options=${[['', 'anybody'], ...known(team, actor)]}
      onChange=${(value) => change({ actor: value })}
    />
    <${Button} small onClick=${() => exportAs(filter)}>Export<//>`;
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
          ? html`Nothing fits these filters. <${Button} small onClick=${clear}>Show all<//>`
          : 'No administrator or moderator has done anything yet.'
      }
    />
    <${KeysetPagination} cursors=${cursors} of=${entries.data} />
  <//>`;
}

export const page = { path: '#/audit', title: 'Audit', shortcut: 'g a', View };
