import { api } from '../api.js';
import { html } from '../html.js';
import { useLive } from '../live.js';
import { ErrorNote } from '../parts.js';
import { SettingsCategories } from './categories.js';
import { SettingsHistory } from './history.js';
import { SettingsLimits, SettingsModeration, SettingsTexts } from './rules.js';
import { SettingsTemplates } from './templates.js';

const everyMs = 60_000;

/** The marketplace: its categories, templates, texts and limits, each edit a version that can be undone. */
export function SettingsView() {
  const read = (path) => useLive((options) => api.get(path, options), { everyMs });
  const settings = read('/api/admin/settings');
  const tree = read('/api/admin/categories');
  const templates = read('/api/admin/asset-types');
  const refresh = () => Promise.all([settings.refresh(), tree.refresh(), templates.refresh()]);
  const { version, locales = ['en'] } = settings.data ?? {};
  return html`<${SettingsCategories} ...${{ tree, locales, refresh }} types=${templates.data?.asset_types ?? []} />
    <${SettingsTemplates} ...${{ templates, locales, refresh }} />
    ${!settings.data && html`<${ErrorNote} error=${settings.error} retry=${settings.refresh} />`}
    ${
      settings.data &&
      html`<${SettingsTexts} ...${{ settings, locales, refresh }} />
        <${SettingsLimits} ...${{ settings, refresh }} />
        <${SettingsModeration} ...${{ settings, refresh }} />`
    }
    <${SettingsHistory} ...${{ version, refresh }} />`;
}
