import { statfs } from 'node:fs/promises';
import type { Pool } from 'pg';
import { MINUTE_MS } from '../kit/clock.ts';
import { readMailFailures } from '../queues/inspect.ts';

/** A webhook may fail for so long before it is somebody's business: its first repetitions come within five minutes. */
const WEBHOOK_FAILS_MS = 10 * MINUTE_MS;
const MAX_NAMED = 10;
const GIBIBYTE = 1_073_741_824;

type ScraperTrouble = {
  name: string;
  error: string | null;
  failures: number;
  succeeded_before: boolean;
  is_quarantined: boolean;
};
type WebhookTrouble = { url: string; owner: string; failing_since: Date; error: string | null };

/** What goes wrong outside of the service's own processes, in words that say what to do. */
export async function findTroubles(pool: Pool, now: Date): Promise<string[]> {
  const [scrapers, webhooks, mails] = await Promise.all([
    readScraperTroubles(pool),
    readWebhookTroubles(pool, now),
    readMailFailures(pool),
  ]);
  return [
    ...limited(scrapers.map(describeScraper), 'scrapers'),
    ...limited(
      webhooks.map((webhook) => describeWebhook(webhook, now)),
      'webhooks',
    ),
    ...describeMails(mails),
  ];
}

const limited = (texts: string[], noun: string) =>
  texts.length <= MAX_NAMED
    ? texts
    : [...texts.slice(0, MAX_NAMED), `${texts.length - MAX_NAMED} more ${noun} have such a problem.`];

function describeScraper({ name, error, failures, succeeded_before, is_quarantined }: ScraperTrouble): string {
  if (is_quarantined)
    return `The last run of ${name} is in quarantine and has published nothing: accept the run, or learn the site again.`;
  const times = failures === 1 ? 'its only run has failed' : `${failures} runs in a row have failed`;
  const why = error === null ? '' : ` (${error.replace(/\.$/, '')})`;
  return succeeded_before
    ? `${name}: ${times}${why}. Try the scraper on a page, and mend its settings or disable it.`
    : `${name} has never succeeded: ${times}${why}. Try the scraper on a page, and mend its settings or disable it.`;
}

function describeWebhook({ url, owner, failing_since: since, error }: WebhookTrouble, now: Date): string {
  const minutes = Math.floor((now.getTime() - since.getTime()) / MINUTE_MS);
  const age = minutes < 120 ? `${minutes} minutes` : `${Math.floor(minutes / 60)} hours`;
  const why = error === null ? '' : `: ${error.replace(/\.$/, '')}`;
  return `The webhook of ${owner} to ${new URL(url).host} has failed for ${age}${why}. Tell its owner, or pause it; it is switched off after five days.`;
}

function describeMails({ refused, waiting, error }: Awaited<ReturnType<typeof readMailFailures>>): string[] {
  const why = error === null ? '' : ` The last one says: ${error}`;
  return [
    ...(refused > 0
      ? [
          `${refused} ${refused === 1 ? 'mail was' : 'mails were'} refused for good in the last day.${why} See the failed jobs of send-email.`,
        ]
      : []),
    ...(waiting > 0
      ? [
          `${waiting} ${waiting === 1 ? 'mail waits' : 'mails wait'} after three tries or more.${why} Look at SMTP_URL and the mail server.`,
        ]
      : []),
  ];
}

/** Enabled scrapers whose last ended run has failed: those that never succeeded, that failed twice or more, or that wait in quarantine. */
async function readScraperTroubles(pool: Pool): Promise<ScraperTrouble[]> {
  const { rows } = await pool.query<ScraperTrouble>({
    name: 'scraper-troubles',
    text: `select s.name, last.error, last.is_quarantined, good.at is not null as succeeded_before,
             (select count(*)::int from runs f where f.kind = 'scraper' and f.subject = s.id and f.status = 'failed'
                and (good.at is null or f.created_at > good.at)) as failures
           from scrapers s
           join lateral (
             select r.status, coalesce(r.error, r.errors -> 0 ->> 'message') as error,
               f.quarantine_reasons is not null and f.accepted_at is null as is_quarantined
             from runs r left join run_findings f on f.run_id = r.id
             where r.kind = 'scraper' and r.subject = s.id and r.status in ('succeeded', 'failed')
             order by r.created_at desc, r.id desc limit 1) as last on true
           left join lateral (
             select r.created_at as at from runs r where r.kind = 'scraper' and r.subject = s.id and r.status = 'succeeded'
             order by r.created_at desc, r.id desc limit 1) as good on true
           where s.enabled and last.status = 'failed' order by s.name`,
  });
  return rows.filter(
    ({ failures, succeeded_before, is_quarantined }) => is_quarantined || !succeeded_before || failures >= 2,
  );
}

async function readWebhookTroubles(pool: Pool, now: Date): Promise<WebhookTrouble[]> {
  const { rows } = await pool.query<WebhookTrouble>({
    name: 'webhook-troubles',
    text: `select w.url, u.name as owner, w.failing_since,
             (select d.error from webhook_deliveries d where d.webhook_id = w.id and d.error is not null
              order by d.created_at desc, d.id desc limit 1) as error
           from webhooks w join users u on u.id = w.user_id
           where w.active and w.failing_since < $1 order by w.failing_since`,
    values: [new Date(now.getTime() - WEBHOOK_FAILS_MS)],
  });
  return rows;
}

export type Disk = { free_bytes: number; total_bytes: number };

/** The disk that a folder is on. */
export async function readDisk(folder: string): Promise<Disk> {
  const { bavail, blocks, bsize } = await statfs(folder);
  return { free_bytes: bavail * bsize, total_bytes: blocks * bsize };
}

/** Says of a disk that it fills: less than 1 GiB is free, or less than a twentieth and 20 GiB. */
export function describeDisk({ free_bytes: free, total_bytes: total }: Disk, folder: string): string[] {
  const isFull = free < GIBIBYTE || (free < total / 20 && free < 20 * GIBIBYTE);
  if (!isFull) return [];
  const left = (free / GIBIBYTE).toFixed(1);
  return [
    `The disk of ${folder} is ${Math.round(100 - (100 * free) / total)} % full, ${left} GiB are left: delete old backups and logs, or make it larger.`,
  ];
}
