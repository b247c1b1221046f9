import { probeDatabase } from '../../shared/database-health.ts';
import { VERSION } from '../../shared/version.ts';
import type { Handler } from '../http/types.ts';
import type { Services } from '../services.ts';

/** 200 while this process serves requests and reaches its database, 503 while it drains or does not. */
export const getHealth: Handler<'getHealth'> = async (services) => {
  const { database } = await probeDatabase(services.pool);
  const report = {
    version: VERSION,
    uptime_seconds: uptimeSeconds(services),
    timestamp: services.clock.now().toISOString(),
  };
  if (database.connected && services.ready) return { status: 200, body: { status: 'healthy', ...report } };
  const message = services.ready ? 'The database cannot be reached.' : 'This process is stopping.';
  return {
    status: 503,
    headers: retry,
    body: { status: 'degraded', ...report, error: { code: 'service_unavailable', message } },
  };
};

/** The round trip to the database, this process's pool and the migrations; 503 when it does not answer or is not up to date. */
export const getDatabaseHealth: Handler<'getDatabaseHealth'> = async (services) => {
  const { database, migrations } = await probeDatabase(services.pool);
  const { totalCount, idleCount, waitingCount } = services.pool;
  const report = {
    database,
    pool: { total: totalCount, idle: idleCount, waiting: waitingCount },
    migrations,
    timestamp: services.clock.now().toISOString(),
  };
  if (database.connected && migrations.pending === 0) return { status: 200, body: { status: 'healthy', ...report } };
  const message = database.connected ? 'Migrations are pending.' : 'The database cannot be reached.';
  return {
    status: 503,
    headers: retry,
    body: { status: 'degraded', ...report, error: { code: 'service_unavailable', message } },
  };
};

const retry = { 'Retry-After': '2', 'Cache-Control': 'no-store' };

/** Whole seconds since this process was ready. */
export function uptimeSeconds({ clock, startedAt }: Pick<Services, 'clock' | 'startedAt'>): number {
  return Math.max(0, Math.round((clock.now().getTime() - startedAt.getTime()) / 1_000));
}
