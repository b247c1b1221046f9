import { html } from './html.js';
import { Table } from './parts.js';

const percent = (share) => `${Math.round(share * 100)} %`;

const columns = [
  { title: 'Field', render: ({ name }) => html`<strong>${name}</strong>` },
  {
    title: 'Sample',
    grow: true,
    render: ({ samples: [sample] }) =>
      html`<span class="cut">${sample?.value}</span><code class="faint cut">${sample?.url}</code>`,
  },
  { title: 'From', phone: false, render: ({ source }) => source },
  { title: 'On pages', align: 'end', phone: false, render: ({ filled }) => percent(filled) },
  { title: 'Sure', align: 'end', render: ({ confidence }) => percent(confidence) },
];

/** What is read of each field, with a sample. */
export const LearningFields = ({ fields }) =>
  html`<${Table}
    label="Fields"
    columns=${columns}
    rows=${fields}
    keyOf=${({ name }) => name}
    empty="No page of a thing was read."
  />`;
