import { api } from './api.js';
import { formatNumber } from './format.js';
import { html } from './html.js';
import { useLive } from './live.js';
import { Fresh } from './parts.js';

const totalOf = async (path, options) => (await api.get(path, options)).pagination.total;

async function load(options) {
  const [reports, appeals, doubts, webhooks, stats] = await Promise.all([
    totalOf('/api/admin/reports?limit=1', options),
    totalOf('/api/admin/appeals?limit=1', options),
    totalOf('/api/admin/validation-queue?limit=1', options),
    totalOf('/api/admin/webhooks?state=failing&limit=1', options),
    api.get('/api/admin/stats', options),
  ]);
  return { reports, appeals, doubts, webhooks, stats };
}

/** What waits for somebody now, what is most urgent first; `health` tells of scrapers that fail. */
export function ToDecide({ health }) {
  const loaded = useLive(load, { on: ['listing.', 'run.'], everyMs: 30_000 });
  const { data } = loaded;
  if (!data) return html`<${Fresh} of=${loaded} />`;
  const dead = data.stats.queues.reduce((sum, queue) => sum + queue.dead, 0);
  const failing = (health?.scrapers ?? []).filter(
    ({ enabled, last_status: last }) => enabled && last === 'failed',
  ).length;
  const all = [
    {
      count: data.reports,
      one: 'report',
      many: 'reports',
      href: '#/reports',
      urgent: true,
    },
    { count: data.appeals, one: 'appeal', many: 'appeals', href: '#/reports?appeals=open', urgent: true },
    {
      count: data.stats.listings.by_status.flagged ?? 0,
      one: 'listing that is held back',
      many: 'listings that are held back',
      href: '#/moderation',
      urgent: true,
    },
    { count: data.doubts, one: 'doubtful text', many: 'doubtful texts', href: '#/moderation?tab=doubts' },
    {
      count: data.stats.dedup.groups_pending,
      one: 'group of duplicates',
      many: 'groups of duplicates',
      href: '#/duplicates',
    },
    {
      count: failing,
      one: 'scraper whose last run failed',
      many: 'scrapers whose last run failed',
      href: '#/scrapers',
      urgent: true,
    },
    {
      count: data.webhooks,
      one: 'webhook that fails',
      many: 'webhooks that fail',
      href: '#/webhooks?state=failing',
      urgent: true,
    },
    { count: dead, one: 'job that was given up', many: 'jobs that were given up', href: '#/jobs', urgent: true },
  ];
  const waiting = all.filter(({ count }) => count > 0);
  return html`<section class="to-decide" aria-label="What needs a decision">
    ${waiting.length === 0 && html`<p class="all-done">Nothing waits for a decision.</p>`}
    ${waiting.map(
      ({ count, one, many, href, urgent }) =>
        html`<a class=${urgent ? 'decision-tile urgent' : 'decision-tile'} href=${href} key=${href}>
          <strong>${formatNumber(count)}</strong> <span>${count === 1 ? one : many}</span>
        </a>`,
    )}
  </section>`;
}
