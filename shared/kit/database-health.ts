import { readdirSync } from 'node:fs';
import type { Pool } from 'pg';

export type DatabaseState = {
  database: { connected: boolean; latency_ms: number | null };
  migrations: { applied: number; pending: number };
};

const known = readdirSync(new URL('../../db/migrations/', import.meta.url)).filter((name) =>
  name.endsWith('.sql'),
).length;

/** One round trip: whether the database answers, in how many milliseconds, and which migrations it has. Never throws. */
export async function probeDatabase(pool: Pool): Promise<DatabaseState & { cause?: unknown }> {
  const startedAt = performance.now();
  try {
    const { rows } = await pool.query<{ applied: number }>({
      name: 'health',
      text: 'select count(*)::int as applied from migrations',
    });
    const applied = rows[0]?.applied ?? 0;
    const latency = Math.round((performance.now() - startedAt) * 100) / 100;
    return {
      database: { connected: true, latency_ms: latency },
      migrations: { applied, pending: Math.max(0, known - applied) },
    };
  } catch (cause) {
    return { database: { connected: false, latency_ms: null }, migrations: { applied: 0, pending: known }, cause };
  }
}
