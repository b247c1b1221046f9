import type { Pool } from 'pg';
import { personalTables } from './personal-tables.ts';

/** So many rows are in memory at a time: a listing may be 100 kB. */
const FETCHED = 100;

type Section = { name: string; query: string };

/** The images of a person, each with the addresses of its files while the account exists. */
const images: Section = {
  name: 'images',
  query: `select jsonb_build_object('sha256', t.sha256, 'url', :static || '/' || t.storage_key, 'thumbnail_url', :static || '/' || t.thumbnail_key,
      'width', t.width, 'height', t.height, 'bytes', t.bytes) as row
    from images t where exists (select from uploads u where u.sha256 = t.sha256 and u.user_id = :user)
      or exists (select from picture_uses p join listings l on l.id = p.subject where p.sha256 = t.sha256 and l.seller_id = :user)
      or exists (select from picture_uses p join rentals r on r.id = p.subject where p.sha256 = t.sha256 and r.owner_id = :user)`,
};

const sections: readonly Section[] = [
  ...Object.entries(personalTables).flatMap(([table, { archive }]): Section[] => {
    if ('reason' in archive) return [];
    const { section, where, omit = [] } = archive;
    const without = omit.map((column) => `'${column}'`).join(', ');
    return [
      { name: section, query: `select to_jsonb(t) - array[${without}]::text[] as row from ${table} t where ${where}` },
    ];
  }),
  images,
];

/** The person and the address of public files, as settings of the transaction: a cursor takes no parameters. */
const bind = (query: string) =>
  query
    .replaceAll(':user', `current_setting('quayside.user')`)
    .replaceAll(':static', `current_setting('quayside.static_url')`);

/**
 * All that is held of a person, as one JSON object written piece by piece: a list of rows for each section, as they are at one
 * moment (repeatable read, server-side cursors). Memory stays small whatever the size.
 */
export async function* writeArchive(
  pool: Pool,
  { userId, staticUrl, now, signal }: { userId: string; staticUrl: string; now: Date; signal: AbortSignal },
): AsyncGenerator<Buffer> {
  const client = await pool.connect();
  try {
    await client.query('begin isolation level repeatable read, read only');
    await client.query(`set local timezone = 'UTC'`);
    await client.query(`select set_config('quayside.user', $1, true), set_config('quayside.static_url', $2, true)`, [
      userId,
      staticUrl,
    ]);
    const head = { format: 'quayside-person-1', user_id: userId, exported_at: now.toISOString() };
    yield Buffer.from(JSON.stringify(head).slice(0, -1));
    for (const { name, query } of sections) {
      yield Buffer.from(`,\n${JSON.stringify(name)}: [`);
      await client.query(
        `declare archived no scroll cursor for select (row)::text as text from (${bind(query)}) as found`,
      );
      let separator = '\n';
      for (let count = FETCHED; count === FETCHED;) {
        signal.throwIfAborted();
        const { rows } = await client.query<{ text: string }>(`fetch ${FETCHED} from archived`);
        count = rows.length;
        if (count > 0) yield Buffer.from(separator + rows.map(({ text }) => text).join(',\n'));
        separator = ',\n';
      }
      await client.query('close archived');
      yield Buffer.from(']');
    }
    yield Buffer.from('\n}\n');
    await client.query('commit');
  } finally {
    // A reader that has gone before the end leaves a transaction open, and so does an error.
    await client.query('rollback').then(
      () => client.release(),
      (error: Error) => client.release(error),
    );
  }
}
