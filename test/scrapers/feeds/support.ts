import type { Client, Json } from '../../support/app.ts';
import { until } from '../run-support.ts';

/** A table of boats on boats.example.com, each a row of its own. */
export const table = (refs: readonly number[], fields: Record<string, string> = {}): string => {
  const names = ['url', 'title', 'description', 'price', 'currency', 'city', 'country', ...Object.keys(fields)];
  const rows = refs.map((ref) =>
    [
      `https://boats.example.com/boats/${ref}`,
      `Kestrel 36 number ${ref}`,
      'A sound cruiser with new sails and ready to go.',
      String(40_000 + ref),
      ...['EUR', 'Kiel', 'DE'],
      ...Object.values(fields),
    ].join(','),
  );
  return `${[names.join(','), ...rows].join('\n')}\n`;
};

export const oneTo = (n: number): number[] => Array.from({ length: n }, (_, i) => i + 1);

/** Makes a scraper of a feed that is uploaded. */
export async function newFeed(admin: Client, fields: Json = {}): Promise<string> {
  const body = { name: 'Broker', kind: 'feed', site: 'boats.example.com', feed: { preset: 'csv' }, ...fields };
  const made = await admin.post('/api/admin/scrapers', body);
  if (made.status !== 201) throw new Error(JSON.stringify(made.body));
  return made.body.id;
}

export function formOf(content: string | Buffer, name = 'feed.csv'): FormData {
  const form = new FormData();
  form.set('file', new Blob([new Uint8Array(Buffer.from(content))]), name);
  return form;
}

export const runOf = async (admin: Client, scraperId: string): Promise<Json> =>
  (await admin.get(`/api/admin/scrapers/${scraperId}/runs?limit=1`)).body.results[0];

export const endOfRun = (admin: Client, scraperId: string): Promise<Json> =>
  until(
    () => runOf(admin, scraperId),
    ({ status }) => ['succeeded', 'failed', 'cancelled'].includes(status),
  );

export const upload = (admin: Client, scraperId: string, content: string | Buffer) =>
  admin.post(`/api/admin/scrapers/${scraperId}/feed`, undefined, { raw: formOf(content) });

/** Uploads a feed and waits for the end of its run. */
export async function read(admin: Client, scraperId: string, content: string | Buffer): Promise<Json> {
  const started = await upload(admin, scraperId, content);
  if (started.status !== 202) throw new Error(JSON.stringify(started.body));
  return endOfRun(admin, scraperId);
}
