import { formatNumber } from './format.js';
import { html } from './html.js';
import { Table } from './parts.js';

const most = 6;

/** The most frequent of what was counted: rows with the name that `name` tells and their `count`. */
export function Counts({ label, name, rows, stale, empty }) {
  const columns = [
    { title: label, grow: true, render: (row) => row[name] },
    { title: 'Count', align: 'end', render: (row) => formatNumber(row.count) },
  ];
  return html`<${Table}
    label=${label}
    columns=${columns}
    rows=${rows?.slice(0, most)}
    stale=${stale}
    keyOf=${(row) => row[name]}
    empty=${empty}
  />`;
}
