import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { createClient, unwrap, uploadFile, type QuaysideClient } from '../../api/sdk/src/index.ts';
import { quantile } from './api-load.ts';

/** What the service has said yes to. */
export type Ledger = { listings: Map<string, string>; messages: string[]; prices: Map<string, number> };
export type Answers = {
  /** Attempts by what came of them: a status, `503 without Retry-After`, or `lost` for a connection. */
  attempts: Map<string, number>;
  /** Uses that failed in the end, after the client's own repeats. */
  failed: Map<string, number>;
  latencies: Map<string, number[]>;
};

type Use = (client: QuaysideClient, n: number) => Promise<unknown>;
/** Whom uses are made as, what they ask for, and where what is said yes to is noted. */
export type Traffic = { url: string; tokens: string[]; ids: string[]; photo: Buffer<ArrayBuffer>; ledger: Ledger };

const words = [
  'bavaria',
  'beneteau oceanis',
  'trawler',
  'sea ray',
  'center console',
  'jeanneau sun',
  'yamaha',
  'pontoon',
];
const sorts = ['newest', 'price_asc', 'price_desc', 'relevance'] as const;
const countries = ['US', 'DE', 'NL', 'IT', 'FR'];
const beginnings = ['be', 'bav', 'sea', 'yam', 'mer', 'tra', 'jean', 'cen'];
const MAX_OPEN = 400;

/** The mixture of an ordinary day, in percent: mostly reading, as the accesses of a marketplace are. */
export function makeUses(traffic: Traffic): { name: string; percent: number; use: Use }[] {
  const { ids, ledger, photo, url } = traffic;
  const own: { id: string; owner: QuaysideClient }[] = [];
  const anyId = () => ids[Math.floor(Math.random() * ids.length)]!;
  return [
    {
      name: 'search',
      percent: 50,
      use: async (client, n) => {
        const q = n % 3 === 0 ? words[n % words.length] : undefined;
        const query = {
          sort: sorts[q ? n % sorts.length : n % 3]!,
          ...(q !== undefined && { q }),
          ...(n % 2 === 0 && { country: countries[n % countries.length]! }),
          ...(n % 5 === 0 && { min_price: 1_000 * (n % 50) }),
          ...(n % 10 === 0 && { facets: 'category,country' }),
        };
        await unwrap(client.GET('/api/listings', { params: { query } as never }));
      },
    },
    {
      name: 'suggest',
      percent: 10,
      use: (client, n) =>
        unwrap(client.GET('/api/search/suggest', { params: { query: { q: beginnings[n % beginnings.length]! } } })),
    },
    {
      name: 'listing',
      percent: 20,
      use: (client) => unwrap(client.GET('/api/listings/{id}', { params: { path: { id: anyId() } } })),
    },
    {
      name: 'page',
      percent: 5,
      use: (_client, n) => readPage(`${url}/search?q=${encodeURIComponent(words[n % words.length]!)}`),
    },
    {
      name: 'publish',
      percent: 5,
      use: async (client, n) => {
        const title = `Load ${crypto.randomUUID()} ${words[n % words.length]}`;
        const { id } = await unwrap(client.POST('/api/listings', { body: newListing(title, n) }));
        ledger.listings.set(id, title);
        await unwrap(client.POST('/api/listings/{id}/publish', { params: { path: { id } } }));
        own.push({ id, owner: client });
      },
    },
    {
      name: 'price',
      percent: 3,
      use: async (_client, n) => {
        const chosen = own.splice(Math.floor(Math.random() * own.length), 1)[0];
        if (!chosen) return;
        const amount = 10_000 + n;
        const params = { path: { id: chosen.id } };
        await unwrap(
          chosen.owner.PUT('/api/listings/{id}', {
            params,
            body: { price: { amount, currency: 'EUR', negotiable: true } },
          }),
        );
        ledger.prices.set(chosen.id, amount);
        own.push(chosen);
      },
    },
    {
      name: 'message',
      percent: 3,
      use: async (client, n) => {
        const message = `Load message ${n} of ${crypto.randomUUID()}`;
        const { error } = await client.POST('/api/conversations', { body: { listing_id: anyId(), message } });
        if (!error) ledger.messages.push(message);
        // A seller does not write to themselves, nor about what has been sold meanwhile.
        else if (error.status >= 500) throw error;
      },
    },
    {
      name: 'favorite',
      percent: 2,
      use: (client) => unwrap(client.POST('/api/me/favorites', { body: { listing_id: anyId() } })),
    },
    {
      name: 'upload',
      percent: 2,
      // Trailing bytes make each a file of its own.
      use: (client) => uploadFile(client, new Blob([photo, crypto.randomUUID()], { type: 'image/jpeg' })),
    },
  ];
}

const newListing = (title: string, n: number) => ({
  title,
  description: `Kept in a harbour of the load, berth ${n}, with everything that ${title} needs for the season.`,
  category_id: 'cruising',
  condition: 'good' as const,
  price: { amount: 10_000 + n, currency: 'EUR', negotiable: true },
  location: { country: 'DE', city: 'Kiel', shipping: false },
  attributes: { year: 1980 + (n % 40), length: 6 + (n % 12) },
});

async function readPage(url: string): Promise<void> {
  const answer = await fetch(url, { headers: { accept: 'text/html' } });
  await answer.arrayBuffer();
  if (!answer.ok) throw new Error(`${answer.status} for ${url}`);
}

/**
 * Sends the mixture until `until`: `perSecond` uses a second however long answers take (an open loop), or as many as
 * `connections` clients get done one after the other (a closed loop).
 */
export async function sendTraffic(
  traffic: Traffic,
  { until, ...pace }: { until: number } & ({ perSecond: number } | { connections: number }),
): Promise<Answers> {
  const answers: Answers = { attempts: new Map(), failed: new Map(), latencies: new Map() };
  const uses = makeUses(traffic);
  const clients = traffic.tokens.map((token) =>
    createClient({ baseUrl: traffic.url, token, fetch: (request) => countAttempt(answers, request) }),
  );
  let sent = 0;
  const one = async () => {
    sent += 1;
    let rest = Math.random() * 100;
    const { name, use } = uses.find(({ percent }) => (rest -= percent) < 0) ?? uses[0]!;
    const startedAt = performance.now();
    try {
      await use(clients[sent % clients.length]!, sent);
    } catch (error) {
      const said = error instanceof Error ? error.message : String(error);
      add(answers.failed, `${name}: ${said}`.slice(0, 160));
    }
    const list = answers.latencies.get(name) ?? [];
    list.push(performance.now() - startedAt);
    answers.latencies.set(name, list);
  };
  if ('connections' in pace) {
    const work = async () => {
      while (Date.now() < until) await one();
    };
    await Promise.all(Array.from({ length: pace.connections }, work));
    return answers;
  }
  const open = new Set<Promise<void>>();
  const startedAt = performance.now();
  for (let due = 0; Date.now() < until; due += 1) {
    const waitMs = startedAt + (due * 1_000) / pace.perSecond - performance.now();
    if (waitMs > 1) await sleep(waitMs);
    if (open.size >= MAX_OPEN) await Promise.race(open);
    const use: Promise<void> = one().finally(() => open.delete(use));
    open.add(use);
  }
  await Promise.all(open);
  return answers;
}

async function countAttempt(answers: Answers, request: Request): Promise<Response> {
  try {
    const response = await fetch(request);
    const bare = response.status === 503 && !response.headers.has('retry-after');
    add(answers.attempts, bare ? '503 without Retry-After' : String(response.status));
    return response;
  } catch (error) {
    add(answers.attempts, 'lost');
    throw error;
  }
}

const add = (counts: Map<string, number>, key: string) => void counts.set(key, (counts.get(key) ?? 0) + 1);

/** One line for each use: how many, and the latencies. */
export function describeAnswers({ latencies, attempts, failed }: Answers): string {
  const lines = [...latencies].map(([name, list]) => {
    const sorted = Float64Array.from(list).sort();
    const ms = (share: number) => quantile(sorted, share).toFixed(0).padStart(6);
    return `  ${name.padEnd(9)} ${String(list.length).padStart(7)}  p50 ${ms(0.5)} ms  p99 ${ms(0.99)} ms`;
  });
  const counts = (map: Map<string, number>) => [...map].map(([key, n]) => `${key}: ${n}`).join(', ') || 'none';
  return [...lines, `  attempts ${counts(attempts)}`, `  failed in the end ${counts(failed)}`].join('\n');
}

/** A photo that is uploaded again and again. */
export const readPhoto = (path: string): Buffer<ArrayBuffer> => Buffer.from(readFileSync(path));
