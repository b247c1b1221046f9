import { useState } from 'preact/hooks';
import { api } from '../api.js';
import { Dialog } from '../dialog.js';
import { formatNumber } from '../format.js';
import { html } from '../html.js';
import { Button, Section, Table } from '../parts.js';
import { EditForm, readTexts, tellEdit, TextFields } from './form.js';

const types = [
  ['string', 'text'],
  ['number', 'number'],
  ['boolean', 'yes or no'],
  ['enum', 'choice'],
];

/** The templates of attributes. */
export function SettingsTemplates({ templates, locales, refresh }) {
  const [open, setOpen] = useState(undefined);
  const rows = templates.data?.asset_types ?? [];
  const close = () => setOpen(undefined);
  const done = () => {
    close();
    return refresh();
  };
  const columns = [
    { title: 'Template', grow: true, render: ({ id, label }) => html`${label} <code class="faint">${id}</code>` },
    {
      title: 'Attributes',
      align: 'end',
      render: ({ attributes }) => html`<span class="number">${formatNumber(attributes.length)}</span>`,
    },
    {
      title: 'Categories',
      align: 'end',
      phone: false,
      render: (each) => html`<span class="number">${formatNumber(each.category_ids.length)}</span>`,
    },
    {
      title: 'Edit',
      align: 'end',
      render: (each) => html`<${Button} small aria-label="Edit ${each.label}" onClick=${() => setOpen(each)}>Edit<//>`,
    },
  ];
  const aside = html`<${Button} onClick=${() => setOpen({ attributes: [] })}>Add a template<//>`;
  return html`<${Section} title="Templates" live=${templates} aside=${aside}>
    <${Table} keyOf=${({ id }) => id} label="Templates" rows=${rows} columns=${columns} empty="There are no templates: categories have no attributes." />
    ${open && html`<${TemplateDialog} template=${open} ...${{ locales, close, done }} />`}
  <//>`;
}

function TemplateDialog({ template, locales, close, done }) {
  const isNew = template.id === undefined;
  const [rows, setRows] = useState(() => template.attributes.map((attribute, n) => ({ n, attribute })));
  const others = locales.filter((locale) => locale !== 'en');
  const submit = (data) => {
    const text = (name) => (data.get(name) ?? '').trim();
    const attributes = rows.map(({ n, attribute }) => {
      const { options: _1, option_labels: known, labels: _2, unit: _3, ...rest } = attribute;
      const type = text(`type_${n}`);
      const options = text(`options_${n}`)
        .split(',')
        .map((each) => each.trim())
        .filter(Boolean);
      const optionLabels = Object.fromEntries(
        Object.entries(known ?? {}).filter(([option]) => options.includes(option)),
      );
      return {
        ...rest,
        ...{ key: text(`key_${n}`), label: text(`label_${n}`), type },
        filterable: data.has(`filterable_${n}`),
        required: data.has(`required_${n}`),
        labels: readTexts(data, `labels_${n}`, others),
        ...(text(`unit_${n}`) !== '' && { unit: text(`unit_${n}`) }),
        ...(type === 'enum' && { options, option_labels: optionLabels }),
      };
    });
    const renames = Object.fromEntries(
      rows
        .map(({ n, attribute }) => [attribute.key, text(`key_${n}`)])
        .filter(([before, now]) => before !== undefined && before !== now),
    );
    const id = isNew ? text('id') : template.id;
    return api.put(`/api/admin/asset-types/${id}`, {
      label: text('label'),
      description: text('description'),
      attributes,
      renames,
    });
  };
  const remove = async () => {
    const answer = await api.delete(`/api/admin/asset-types/${template.id}`);
    await done();
    return answer;
  };
  const add = () =>
    setRows([
      ...rows,
      { n: Math.max(-1, ...rows.map(({ n }) => n)) + 1, attribute: { type: 'string', filterable: true } },
    ]);
  return html`<${Dialog} title=${isNew ? 'A new template' : template.label} onClose=${close} wide>
    <${EditForm} submit=${submit} onDone=${done}>
      ${isNew && html`<label class="field"><span>Id</span><input name="id" required pattern="[a-z0-9]+(-[a-z0-9]+)*" maxlength="60" /></label>`}
      <label class="field"><span>Label</span><input name="label" required maxlength="500" defaultValue=${template.label ?? ''} /></label>
      <label class="field"><span>Description</span><input name="description" required maxlength="500" defaultValue=${template.description ?? ''} /></label>
      ${rows.map(
        (row) =>
          html`<${AttributeFields} key=${row.n} ...${row} others=${others} remove=${() => setRows(rows.filter((each) => each !== row))} />`,
      )}
      <div class="row"><button type="button" onClick=${add}>Add an attribute</button></div>
    <//>
    ${
      !isNew &&
      html`<${Button}
        kind="danger"
        confirm=${{ title: `Remove ${template.label}?`, text: 'Values stay with the listings, without labels and filters.', action: 'Remove' }}
        onClick=${remove}
        done=${tellEdit}
      >
        Remove
      <//>`
    }
  <//>`;
}

function AttributeFields({ n, attribute, others, remove }) {
  const name = attribute.label ?? 'New attribute';
  return html`<details open=${attribute.key === undefined}>
    <summary>${name} ${attribute.key && html`<code class="faint">${attribute.key}</code>`}</summary>
    <fieldset class="field">
      <legend>${name}</legend>
      <label class="field"><span>Key</span><input name="key_${n}" required pattern="[a-z][a-z0-9_]*" maxlength="60" defaultValue=${attribute.key ?? ''} /></label>
      <label class="field"><span>Label</span><input name="label_${n}" required maxlength="500" defaultValue=${attribute.label ?? ''} /></label>
      <label class="field">
        <span>Kind</span>
        <select name="type_${n}">${types.map(([value, word]) => html`<option value=${value} selected=${value === attribute.type}>${word}</option>`)}</select>
      </label>
      <label class="field"><span>Unit</span><input name="unit_${n}" maxlength="500" defaultValue=${attribute.unit ?? ''} /></label>
      <label class="field"><span>Choices, with commas between</span><input name="options_${n}" defaultValue=${(attribute.options ?? []).join(', ')} /></label>
      <label class="check"><input type="checkbox" name="filterable_${n}" defaultChecked=${attribute.filterable !== false} /> Can be filtered by</label>
      <label class="check"><input type="checkbox" name="required_${n}" defaultChecked=${attribute.required === true} /> Has to be told</label>
      ${others.length > 0 && html`<${TextFields} name="labels_${n}" label="Label in other languages" texts=${attribute.labels} locales=${others} required=${false} />`}
      <div class="row"><button type="button" class="quiet" onClick=${remove}>Remove ${name}</button></div>
    </fieldset>
  </details>`;
}
