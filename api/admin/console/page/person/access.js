import { html } from '../html.js';
import { Section, Table, Time } from '../parts.js';

const keyOf = ({ id }) => id;

const sessionColumns = [
  {
    title: 'Device',
    grow: true,
    render: ({ device, network, second_factor: shown }) =>
      html`${device || 'Unknown device'}
        <span class="faint">${network}${shown ? ', with a second factor' : ''}</span>`,
  },
  { title: 'Last used', align: 'end', render: ({ last_used_at: at }) => html`<${Time} at=${at} />` },
];

const keyColumns = [
  {
    title: 'Key',
    grow: true,
    render: ({ label, key_prefix: prefix, permissions }) =>
      html`${label} <span class="faint">${prefix}…, ${permissions}</span>`,
  },
  {
    title: 'Last used',
    align: 'end',
    render: ({ last_used_at: at }) => html`<${Time} at=${at} empty="never" />`,
  },
];

function factorsOf({ app, passkeys }) {
  const known = [
    app && 'a code of an authenticator app',
    passkeys > 0 && (passkeys === 1 ? 'a passkey' : `${passkeys} passkeys`),
  ].filter(Boolean);
  return known.length === 0 ? 'No second factor is set up.' : `Set up: ${known.join(', ')}.`;
}

/** How the account can be opened: second factors, devices that are signed in, and keys of programs. */
export function PersonAccess({ detail: { second_factors: factors, sessions, api_keys: keys } }) {
  return html`<${Section} title="Signing in">
    <p>${factorsOf(factors)}</p>
    <${Table} label="Sessions" columns=${sessionColumns} rows=${sessions} keyOf=${keyOf} empty="No device is signed in." />
    <${Table} label="API keys" columns=${keyColumns} rows=${keys} keyOf=${keyOf} empty="There is no API key." />
  <//>`;
}
