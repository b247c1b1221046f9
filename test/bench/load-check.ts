import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { Pool } from 'pg';
import { createClient, followEvents, unwrap } from '../../api/sdk/src/index.ts';
import type { Ledger } from './load-traffic.ts';

/** Who listens while the fleet is under load: a webhook for everybody's new listings, and a stream of the same events. */
export type Listeners = { posted: Map<string, number>; streamed: string[]; stop(): Promise<void> };

type Delivery = { id: string };

/** Subscribes both; from then on they note which listings they were told of, and how often a delivery came. */
export async function listen(url: string, adminToken: string): Promise<Listeners> {
  const posted = new Map<string, number>();
  const streamed: string[] = [];
  const server = createServer((request, response) => void note(request, response));
  async function note(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { id } = JSON.parse(await text(request)) as Delivery;
    posted.set(id, (posted.get(id) ?? 0) + 1);
    response.writeHead(204).end();
  }
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const client = createClient({ baseUrl: url, token: adminToken });
  await unwrap(
    client.POST('/api/webhooks', {
      body: { url: `http://127.0.0.1:${port}/`, events: ['listing.created'], scope: 'all' },
    }),
  );
  const ending = new AbortController();
  const following = (async () => {
    for await (const event of followEvents(client, { type: 'listing.created', signal: ending.signal }))
      streamed.push(event.subject);
  })();
  return {
    posted,
    streamed,
    async stop() {
      ending.abort();
      await following;
      server.close();
      server.closeAllConnections();
    },
  };
}

/** How many jobs wait or are worked, by queue; those of a schedule that are not due are none. */
export async function readQueues(pool: Pool): Promise<Record<string, number>> {
  const { rows } = await pool.query<{ name: string; n: number }>(
    `select name, count(*)::int as n from pgboss.job
     where state = 'active' or (state < 'active' and start_after <= now()) group by name`,
  );
  return Object.fromEntries(rows.map(({ name, n }) => [name, n]));
}

/** What does not agree with what the service has said, each with how often; all zero when nothing is lost and nothing doubled. */
export async function findDifferences(
  pool: Pool,
  ledger: Ledger,
  { posted, streamed }: Listeners,
): Promise<Record<string, number>> {
  const count = async (sql: string, values: unknown[] = []) =>
    (await pool.query<{ n: number }>(`select count(*)::int as n from ${sql}`, values)).rows[0]?.n ?? 0;
  const ids = [...ledger.listings.keys()];
  const created = await pool.query<{ id: string; title: string; amount: number }>(
    `select id, title, price_amount::float8 as amount from listings where title like 'Load %'`,
  );
  const byId = new Map(created.rows.map((row) => [row.id, row]));
  const titles = new Set(created.rows.map(({ title }) => title));
  const seen = new Set(streamed);
  return {
    'listings lost': ids.filter((id) => byId.get(id)?.title !== ledger.listings.get(id)).length,
    'listings doubled': created.rows.length - titles.size,
    'prices lost': [...ledger.prices].filter(([id, amount]) => byId.get(id)?.amount !== amount).length,
    'messages lost': ledger.messages.length - (await count('messages where content = any($1)', [ledger.messages])),
    'messages doubled': await count(
      `(select 1 from messages where content like 'Load message %' group by content having count(*) > 1) twice`,
    ),
    'events lost': created.rows.filter(({ id }) => !seen.has(id)).length,
    'events doubled': streamed.length - seen.size,
    'webhook deliveries lost': created.rows.length - posted.size,
    'mails open': await count('sent_emails where sent_at is null'),
    'jobs failed': await count(`pgboss.job where state = 'failed' or name like '%.dead'`),
  };
}
