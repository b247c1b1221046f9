import { useState } from 'preact/hooks';
import { api } from '../api.js';
import { Dialog } from '../dialog.js';
import { formatNumber } from '../format.js';
import { html } from '../html.js';
import { Button, Section, Table } from '../parts.js';
import { EditForm, readTexts, TextFields, tellEdit } from './form.js';

const depthOf = (categories, { parent_id: parent }) => {
  const above = categories.find(({ id }) => id === parent);
  return above ? 1 + depthOf(categories, above) : 0;
};
const indented = (categories, each) => `${'\u00A0\u00A0'.repeat(depthOf(categories, each))}${each.name.en}`;

/** The tree of categories, with names in every language, templates and what lies in each. */
export function SettingsCategories({ tree, types, locales, refresh }) {
  const [open, setOpen] = useState(undefined);
  const categories = tree.data?.categories ?? [];
  const columns = [
    {
      title: 'Category',
      grow: true,
      render: (each) => html`${indented(categories, each)} <code class="faint">${each.id}</code>`,
    },
    { title: 'Template', phone: false, render: (each) => each.inherited_asset_type ?? '–' },
    {
      title: 'Active',
      align: 'end',
      render: (each) => html`<span class="number">${formatNumber(each.active_listings)}</span>`,
    },
    {
      title: 'Edit',
      align: 'end',
      render: (each) =>
        html`<${Button} small aria-label="Edit ${each.name.en}" onClick=${() => setOpen(each)}>Edit<//>`,
    },
  ];
  const close = () => setOpen(undefined);
  const done = () => {
    close();
    return refresh();
  };
  const aside = html`<${Button} onClick=${() => setOpen({})}>Add a category<//>`;
  return html`<${Section} title="Categories" live=${tree} aside=${aside}>
    <${Table} label="Categories" keyOf=${({ id }) => id} rows=${categories} columns=${columns} empty="There are no categories." />
    ${open && html`<${CategoryDialog} category=${open} ...${{ categories, types, locales, close, done }} />`}
  <//>`;
}

function CategoryDialog({ category, categories, types, locales, close, done }) {
  const isNew = category.id === undefined;
  const submit = (data) => {
    const body = {
      id: data.get('id').trim(),
      name: readTexts(data, 'name', locales),
      parent_id: data.get('parent_id') || null,
      asset_type: data.get('asset_type') || null,
      ...(data.get('position') !== '' && { position: Number(data.get('position')) }),
    };
    return isNew ? api.post('/api/admin/categories', body) : api.put(`/api/admin/categories/${category.id}`, body);
  };
  const remove = async () => {
    const answer = await api.delete(`/api/admin/categories/${category.id}`);
    await done();
    return answer;
  };
  const title = isNew ? 'A new category' : category.name.en;
  return html`<${Dialog} title=${title} onClose=${close}>
    <${EditForm} submit=${submit} onDone=${done}>
      <label class="field">
        <span>Id, as it stands in addresses</span>
        <input name="id" required pattern="[a-z0-9]+(-[a-z0-9]+)*" maxlength="60" defaultValue=${category.id ?? ''} />
      </label>
      <${TextFields} name="name" label="Name" texts=${category.name} locales=${locales} />
      <label class="field">
        <span>Below</span>
        <select name="parent_id">
          <option value="">none: a root</option>
          ${categories
            .filter(({ id }) => id !== category.id)
            .map(
              (each) =>
                html`<option value=${each.id} selected=${each.id === category.parent_id}>${indented(categories, each)}</option>`,
            )}
        </select>
      </label>
      <label class="field">
        <span>Template</span>
        <select name="asset_type">
          <option value="">that of the category above</option>
          ${types.map(({ id, label }) => html`<option value=${id} selected=${id === category.asset_type}>${label}</option>`)}
        </select>
      </label>
      <label class="field">
        <span>Place among its siblings, from 0</span>
        <input name="position" type="number" min="0" max="1000" defaultValue=${category.position ?? ''} />
      </label>
      ${!isNew && html`<p class="faint">With another id its listings are moved, and the former one goes on to work.</p>`}
    <//>
    ${
      !isNew &&
      html`<${Button}
        kind="danger"
        confirm=${{ title: `Remove ${title}?`, text: 'Those below it go with it. Their listings move to the category above; undo brings them back.', action: 'Remove' }}
        onClick=${remove}
        done=${tellEdit}
      >
        Remove
      <//>`
    }
  <//>`;
}
