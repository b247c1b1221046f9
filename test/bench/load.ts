import { setTimeout as sleep } from 'node:timers/promises';
import type { Pool } from 'pg';
import { median } from './api-load.ts';
import { findDifferences, listen, readQueues, type Listeners } from './load-check.ts';
import { killable, type LoadFleet, type Part } from './load-fleet.ts';
import { openLoad } from './load-open.ts';
import { describeAnswers, sendTraffic, type Answers } from './load-traffic.ts';
import type { BenchOptions } from './run.ts';

const WARM_MS = 30_000;
const CONNECTIONS = 24;
const SHARE_OF_CAPACITY = 0.7;
const KILL_EVERY_MS = 120_000;
const SAMPLE_EVERY_MS = 15_000;
const DRAIN_MS = 600_000;
const MEGABYTE = 1_048_576;
/** What is killed in turn: the database rarely, as every request waits for it. */
const victims: Part[] = [
  'api',
  'workers',
  'api',
  'scrapers',
  'api',
  'workers',
  'database',
  'workers',
  'api',
  'scrapers',
];

type Sample = { memory: Record<Part, number>; queued: number };

/**
 * Keeps `npm start -- --api 2` under mixed traffic at 70 % of what it was measured to take, kills one process every two minutes,
 * then compares what the service has said with what is stored, streamed and posted. Prints the answers and the latencies by
 * ten minutes, memory and queues, and every difference.
 */
export async function benchLoad({ n = 100_000, minutes = 60 }: BenchOptions = {}): Promise<void> {
  const load = await openLoad(n);
  if (!load) return;
  const { fleet, pool, traffic, admin } = load;
  const { ledger } = traffic;
  let listeners: Listeners | undefined;
  try {
    listeners = await listen(fleet.url, admin);
    await sendTraffic(traffic, { until: Date.now() + WARM_MS, connections: CONNECTIONS });
    const full = await sendTraffic(traffic, { until: Date.now() + WARM_MS, connections: CONNECTIONS });
    const capacity = countUses(full) / (WARM_MS / 1_000);
    const perSecond = capacity * SHARE_OF_CAPACITY;
    console.log(
      `${n} listings; ${capacity.toFixed(0)} uses/s at most, ${perSecond.toFixed(0)} sent for ${minutes} minutes`,
    );

    const until = Date.now() + minutes * 60_000;
    const ending = new AbortController();
    const kills = killInTurn(fleet, until);
    const samples = sample(fleet, pool, ending.signal);
    while (Date.now() < until) {
      const end = Math.min(until, Date.now() + 600_000);
      console.log(`until ${new Date(end).toISOString()}`);
      console.log(describeAnswers(await sendTraffic(traffic, { until: end, perSecond })));
    }
    console.log(`killed: ${(await kills).join(', ') || 'nothing'}`);
    const drainedMs = await drain(pool);
    ending.abort();
    describeSamples(await samples);
    console.log(`queues empty ${(drainedMs / 1_000).toFixed(0)} s after the last request`);
    await sleep(5_000);
    for (const [name, found] of Object.entries(await findDifferences(pool, ledger, listeners)))
      console.log(`  ${name.padEnd(26)} ${found}`);
    const again = [...listeners.posted.values()].filter((times) => times > 1).length;
    console.log(
      `  of ${ledger.listings.size} listings, ${ledger.messages.length} messages, ${ledger.prices.size} prices;`,
    );
    console.log(`  ${listeners.posted.size} deliveries, ${again} of them more than once`);
  } finally {
    await listeners?.stop();
    await load.close();
  }
}

const countUses = ({ latencies }: Answers) => [...latencies.values()].reduce((sum, list) => sum + list.length, 0);

async function killInTurn(fleet: LoadFleet, until: number): Promise<string[]> {
  const killed: string[] = [];
  for (let turn = 0; Date.now() + KILL_EVERY_MS < until; turn += 1) {
    await sleep(KILL_EVERY_MS);
    const victim = victims[turn % victims.length]!;
    if (fleet.kill(victim)) killed.push(victim);
  }
  return killed;
}

async function sample(fleet: LoadFleet, pool: Pool, signal: AbortSignal): Promise<Sample[]> {
  const samples: Sample[] = [];
  while (!signal.aborted) {
    // The server of this very connection may be the one that was killed.
    const queues = await readQueues(pool).catch(() => undefined);
    if (queues)
      samples.push({ memory: fleet.readMemory(), queued: Object.values(queues).reduce((sum, jobs) => sum + jobs, 0) });
    await sleep(SAMPLE_EVERY_MS, undefined, { signal }).catch(() => undefined);
  }
  return samples;
}

/** Medians of the quarters of the time: what grows shows there, and a restarted process does not hide it. */
function describeSamples(samples: Sample[]): void {
  const quarters = [0, 1, 2, 3].map((quarter) =>
    samples.slice(Math.floor((quarter * samples.length) / 4), Math.ceil(((quarter + 1) * samples.length) / 4)),
  );
  const row = (name: string, read: (each: Sample) => number) =>
    console.log(
      `  ${name.padEnd(9)} ${quarters.map((part) => median(part.map(read)).toFixed(0).padStart(7)).join(' ')}`,
    );
  console.log('in the four quarters of the time, medians: MB of memory, jobs that wait or are worked');
  for (const part of killable) row(part, ({ memory }) => memory[part] / MEGABYTE);
  row('jobs', ({ queued }) => queued);
}

/** Milliseconds until no job waits any more. */
async function drain(pool: Pool): Promise<number> {
  const startedAt = Date.now();
  while (Date.now() - startedAt < DRAIN_MS) {
    const queues = await readQueues(pool);
    if (Object.keys(queues).length === 0) break;
    await sleep(1_000);
  }
  return Date.now() - startedAt;
}
