import { html } from '../html.js';
import { Section } from '../parts.js';
import { EditForm, putSettings, readTexts, TextFields } from './form.js';

const quotas = {
  listing_creation: 'New listings',
  image_upload: 'Uploads of pictures',
  ai_generation: 'Drafts from pictures',
  contact_owner: 'Messages without an account',
  ingest_records: 'Ingested records',
  new_conversation: 'New conversations',
};
const who = { ip: 'an address', user: 'a user', 'user or key': 'a user or key' };
const periods = { 60: 'minute', 3600: 'hour', 86400: 'day' };
const periodOf = (seconds) => periods[seconds] ?? `${seconds} s`;

/** The words behind the name of the brand, in each language. */
export function SettingsTexts({ settings, locales, refresh }) {
  const { tagline } = settings.data.settings;
  const submit = (data) => putSettings({ tagline: readTexts(data, 'tagline', locales) });
  return html`<${Section} title="Texts" live=${settings}>
    <${EditForm} key=${settings.data.version} submit=${submit} onDone=${refresh}>
      <${TextFields} name="tagline" label="What is found here" texts=${tagline} locales=${locales} />
    <//>
  <//>`;
}

const Limit = ({ name, label, rule }) =>
  html`<label class="field">
    <span>${label}, for ${who[rule.keyed_by]} per ${periodOf(rule.window_seconds)}</span>
    <input name=${name} type="number" min="1" max="1000000000" required defaultValue=${rule.limit} />
  </label>`;

/** How much may be done in a day, and how many calls in a minute. */
export function SettingsLimits({ settings, refresh }) {
  const { limits } = settings.data.settings;
  const submit = (data) => {
    const limit = (name, rule) => ({ ...rule, limit: Number(data.get(name)) });
    const rates = Object.fromEntries(
      Object.entries(limits.rates).map(([kind, { anonymous, authenticated }]) => [
        kind,
        {
          anonymous: limit(`${kind}_anonymous`, anonymous),
          authenticated: limit(`${kind}_authenticated`, authenticated),
        },
      ]),
    );
    const counted = Object.fromEntries(
      Object.entries(limits.quotas).map(([kind, rules]) => [kind, rules.map((rule, n) => limit(`${kind}_${n}`, rule))]),
    );
    return putSettings({ limits: { rates, quotas: counted } });
  };
  return html`<${Section} title="Limits" live=${settings}>
    <${EditForm} key=${settings.data.version} submit=${submit} onDone=${refresh}>
      ${Object.entries(limits.quotas).map(([kind, rules]) =>
        rules.map((rule, n) => html`<${Limit} name="${kind}_${n}" label=${quotas[kind] ?? kind} rule=${rule} />`),
      )}
      ${Object.entries(limits.rates).map(
        ([kind, rules]) =>
          html`<${Limit} name="${kind}_anonymous" label="Calls (${kind}) without an account" rule=${rules.anonymous} />
            <${Limit} name="${kind}_authenticated" label="Calls (${kind}) with an account" rule=${rules.authenticated} />`,
      )}
    <//>
  <//>`;
}

const lists = [
  ['reject', 'Refused'],
  ['review', 'To be looked at'],
  ['allow', 'Innocent, although they hold a refused word'],
];

/** The marketplace's own phrases, beside those that none may hold. */
export function SettingsModeration({ settings, refresh }) {
  const { moderation = {} } = settings.data.settings;
  const submit = (data) => {
    const phrases = lists.map(([name]) => [
      name,
      data
        .get(name)
        .split('\n')
        .map((each) => each.trim())
        .filter(Boolean),
    ]);
    return putSettings({ moderation: { ...moderation, ...Object.fromEntries(phrases) } });
  };
  return html`<${Section} title="Phrases in listings" live=${settings}>
    <${EditForm} key=${settings.data.version} submit=${submit} onDone=${refresh}>
      ${lists.map(
        ([name, label]) =>
          html`<label class="field"><span>${label}, one a line</span><textarea name=${name} rows="4" defaultValue=${(moderation[name] ?? []).join('\n')}></textarea></label>`,
      )}
    <//>
  <//>`;
}
