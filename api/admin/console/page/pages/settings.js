import { later } from '../later.js';

const View = later(async () => (await import('../settings/view.js')).SettingsView);

export const page = { path: '#/settings', title: 'Settings', shortcut: 'g t', View };
