import { probeDatabase } from '../../shared/kit/database-health.ts';
import { uptimeSeconds } from '../discovery/health.ts';
import type { Handler } from '../handler.ts';

/** This process and its database, always 200: the admin wants to read it most when it is degraded. */
export const getAdminHealth: Handler<'getAdminHealth'> = async (services) => {
  const { database, migrations } = await probeDatabase(services.pool);
  const { rss, heapUsed, heapTotal } = process.memoryUsage();
  return {
    status: 200,
    body: {
      status: database.connected && migrations.pending === 0 && services.ready ? 'healthy' : 'degraded',
      uptime_seconds: uptimeSeconds(services),
      database,
      migrations,
      memory: { rss_bytes: rss, heap_used_bytes: heapUsed, heap_total_bytes: heapTotal },
    },
  };
};
