import { api, withQuery } from '../api.js';
import { html } from '../html.js';
import { useLive } from '../live.js';
import { Button, Pagination, Section, Table, Time } from '../parts.js';
import { useQuery } from '../route.js';
import { tellEdit } from './form.js';

const words = { added: 'added', changed: 'changed', removed: 'removed' };
const sections = {
  categories: 'category',
  asset_types: 'template',
  moved_categories: 'former ids',
  category_words: 'words of categories',
};
const tell = ({ section, id, kind }) =>
  `${sections[section] ?? section.replaceAll('_', ' ')}${id === null ? '' : ` ${id}`} ${words[kind]}`;
const MAX_TOLD = 4;

/** Every edit with its author and what it changed; the last one can be undone, and any earlier state be returned to. */
export function SettingsHistory({ version, refresh }) {
  const [{ page = '1' }, setQuery] = useQuery();
  const path = withQuery('/api/admin/settings/versions', { page, limit: 10 });
  const history = useLive((options) => api.get(path, options), { everyMs: 30_000, inputs: [path, version] });
  const restore = (to) => async () => {
    const answer = await api.post('/api/admin/settings/undo', to === undefined ? {} : { version: to });
    await Promise.all([refresh(), history.refresh()]);
    return answer;
  };
  const columns = [
    { title: 'Version', render: (each) => html`<span class="number">${each.version}</span>` },
    { title: 'When', render: ({ created_at: at }) => html`<${Time} at=${at} />` },
    {
      title: 'What',
      grow: true,
      render: ({ restores, changes }) =>
        html`${restores !== null && `Back to ${restores === 0 ? 'the file' : `version ${restores}`}: `}${changes
          .slice(0, MAX_TOLD)
          .map(tell)
          .join(', ')}${changes.length > MAX_TOLD && ` and ${changes.length - MAX_TOLD} more`}`,
    },
    { title: 'By', phone: false, render: ({ author_email: email }) => email ?? '–' },
    {
      title: 'Return',
      align: 'end',
      render: (each) =>
        each.version !== version &&
        html`<${Button}
          small
          aria-label="Return to version ${each.version}"
          confirm=${{ title: `Return to version ${each.version}?`, text: 'All later edits are taken back, and listings go back where they were.', action: 'Return' }}
          onClick=${restore(each.version)}
          done=${tellEdit}
        >
          Return
        <//>`,
    },
  ];
  const aside = html`<${Button} disabled=${!version} confirm=${{ title: 'Undo the last edit?', text: 'Listings that it moved go back.', action: 'Undo' }} onClick=${restore()} done=${tellEdit}>Undo the last edit<//>
    <${Button} disabled=${!version} confirm=${{ title: 'Return to the file?', text: 'Everything that was ever edited here is taken back.', action: 'Return' }} onClick=${restore(0)} done=${tellEdit}>Return to the file<//>`;
  return html`<${Section} title="History" live=${history} aside=${aside}>
    <${Table} keyOf=${(each) => each.version} label="History" rows=${history.data?.results ?? []} columns=${columns} empty="Nothing has been edited: the marketplace is as its file says." />
    <${Pagination} of=${history.data?.pagination} onPage=${(to) => setQuery({ page: to })} />
  <//>`;
}
