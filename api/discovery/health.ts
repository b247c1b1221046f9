import type { WrittenPart } from '../../shared/adapters/write-watch.ts';
import { probeDatabase } from '../../shared/kit/database-health.ts';
import { VERSION } from '../../shared/kit/version.ts';
import type { Handler } from '../handler.ts';
import type { Services } from '../services.ts';

const troubles: Record<WrittenPart, string> = {
  images: 'Images cannot be stored.',
  uploads: 'Uploads cannot be received.',
  outbox: 'Mails cannot be written.',
};

/** 200 while this process serves requests, reaches its database and can write files; 503 while it drains or does not. */
export const getHealth: Handler<'getHealth'> = async (services) => {
  const { database } = await probeDatabase(services.pool);
  const report = {
    version: VERSION,
    uptime_seconds: uptimeSeconds(services),
    timestamp: services.clock.now().toISOString(),
  };
  const parts = await services.writes.failing();
  if (database.connected && services.ready && parts.length === 0)
    return { status: 200, body: { status: 'healthy', ...report } };
  const messages = [
    ...(services.ready ? [] : ['This process is stopping.']),
    ...(database.connected ? [] : ['The database cannot be reached.']),
    ...writeTroubles(parts),
  ];
  const details = parts.length > 0 ? { details: { parts } } : {};
  return {
    status: 503,
    headers: retry,
    body: {
      status: 'degraded',
      ...report,
      error: { code: 'service_unavailable', message: messages.join(' '), ...details },
    },
  };
};

/**
 * The round trip to the database, this process's pool and the migrations; 503 when it does not answer, and no standby does, or is
 * not up to date.
 */
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
  if (!database.connected && services.reads.canRead()) return { status: 200, body: { status: 'read_only', ...report } };
  const message = database.connected ? 'Migrations are pending.' : 'The database cannot be reached.';
  return {
    status: 503,
    headers: retry,
    body: { status: 'degraded', ...report, error: { code: 'service_unavailable', message } },
  };
};

/** What to say of the parts that cannot be written. */
export const writeTroubles = (parts: readonly WrittenPart[]): string[] => parts.map((part) => troubles[part]);

const retry = { 'Retry-After': '2', 'Cache-Control': 'no-store' };

/** Whole seconds since this process was ready. */
export function uptimeSeconds({ clock, startedAt }: Pick<Services, 'clock' | 'startedAt'>): number {
  return Math.max(0, Math.round((clock.now().getTime() - startedAt.getTime()) / 1_000));
}
