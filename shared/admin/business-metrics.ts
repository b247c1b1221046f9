import type { Pool } from 'pg';
import { Gauge, type Registry } from 'prom-client';
import { createStaleCache } from '../kit/stale-cache.ts';
import { readMailFailures } from '../queues/inspect.ts';

type Sample = { labels: Record<string, string>; value: number };

/**
 * The marketplace in figures: `quayside_listings{status}`, `quayside_users{status}`, `quayside_payments{status}`,
 * `quayside_payments_amount{status,currency}` (units of the currency), `quayside_emails_failing{state}` and `quayside_webhooks_failing`.
 */
export function registerBusiness(registry: Registry, pool: Pool): void {
  const cache = createStaleCache();
  const register = (name: string, help: string, labelNames: string[], read: () => Promise<Sample[]>) =>
    new Gauge({
      name,
      help,
      labelNames,
      registers: [registry],
      async collect() {
        const samples = await cache(name, read);
        this.reset();
        for (const { labels, value } of samples) this.set(labels, value);
      },
    });
  register('quayside_listings', 'Listings by status.', ['status'], async () => {
    const { rows } = await pool.query<{ status: string; n: number }>({
      name: 'metrics-listings',
      text: `select status, sum(n)::float8 as n from (
               select status, n from listing_counts union all select status, n from listing_count_deltas) as c group by status`,
    });
    return rows.map(({ status, n }) => ({ labels: { status }, value: n }));
  });
  register('quayside_users', 'Accounts by status (active, suspended).', ['status'], async () => {
    const { rows } = await pool.query<{ all: number; suspended: number }>({
      name: 'metrics-users',
      text: `select count(*)::float8 as all, count(disabled_at)::float8 as suspended from users`,
    });
    const { all = 0, suspended = 0 } = rows[0] ?? {};
    return [
      { labels: { status: 'active' }, value: all - suspended },
      { labels: { status: 'suspended' }, value: suspended },
    ];
  });
  const payments = async () => {
    const { rows } = await pool.query<{ status: string; currency: string; n: number; amount: number }>({
      name: 'metrics-payments',
      text: `select status, currency, count(*)::float8 as n, (sum(amount_cents) / 100.0)::float8 as amount
             from payments group by status, currency`,
    });
    return rows;
  };
  register('quayside_payments', 'Payments by status and currency.', ['status', 'currency'], async () =>
    (await payments()).map(({ status, currency, n }) => ({ labels: { status, currency }, value: n })),
  );
  register(
    'quayside_payments_amount',
    'Sums of payments by status and currency, in units of the currency.',
    ['status', 'currency'],
    async () =>
      (await payments()).map(({ status, currency, amount }) => ({ labels: { status, currency }, value: amount })),
  );
  register(
    'quayside_emails_failing',
    'Mails that were refused within a day (refused), and that have been tried three times or more (waiting).',
    ['state'],
    async () => {
      const { refused, waiting } = await readMailFailures(pool);
      return [
        { labels: { state: 'refused' }, value: refused },
        { labels: { state: 'waiting' }, value: waiting },
      ];
    },
  );
  register('quayside_webhooks_failing', 'Active webhooks whose last delivery failed.', [], async () => {
    const { rows } = await pool.query<{ n: number }>({
      name: 'metrics-webhooks',
      text: `select count(*)::float8 as n from webhooks where active and failing_since is not null`,
    });
    return [{ labels: {}, value: rows[0]?.n ?? 0 }];
  });
}
