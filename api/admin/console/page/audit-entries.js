import { api, withQuery } from './api.js';
import { nameAct, tellSent } from './audit-words.js';
import { html } from './html.js';
import { Id } from './links.js';
import { useLive } from './live.js';
import { Time } from './parts.js';

const roles = ['admin', 'moderator'];
const largestTeam = 100;

/** The names of those who have a role, by their ids: entries hold ids alone. */
export function useTeam() {
  const { data } = useLive(async (options) => {
    const pages = await Promise.all(
      roles.map((role) => api.get(withQuery('/api/admin/users', { role, limit: largestTeam }), options)),
    );
    return new Map(pages.flatMap(({ results }) => results.map(({ id, name }) => [id, name])));
  });
  return data ?? new Map();
}

const whenColumn = { title: 'When', render: ({ created_at: at }) => html`<${Time} at=${at} />` };
const whatColumn = {
  title: 'What',
  grow: true,
  render: (entry) =>
    html`<span title=${entry.action}>${nameAct(entry.action)}</span> <span class="faint cut">${tellSent(entry)}</span>`,
};
const toColumn = {
  title: 'To',
  phone: false,
  render: ({ subject }) => (subject ? html`<${Id} of=${subject} />` : '–'),
};
const byColumn = (team) => ({
  title: 'By',
  phone: false,
  render: ({ actor }) => html`<${Id} of=${actor}>${team.get(actor)}<//>`,
});

/** The columns of the audit log: of all of it, and of what was done to one thing. */
export const auditColumns = (team) => [whenColumn, whatColumn, toColumn, byColumn(team)];
export const auditColumnsOfOne = (team) => [whenColumn, whatColumn, byColumn(team)];
