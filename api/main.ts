import '../shared/boot/require-node.js';
import { readConfigOrExit } from '../shared/kit/config.ts';
import { createDatabaseClock } from '../shared/kit/database-clock.ts';
import { createLogger } from '../shared/kit/log.ts';
import { prepare } from '../shared/boot/prepare.ts';
import { notifyReady } from '../shared/kit/ready.ts';
import { onShutdown } from '../shared/kit/shutdown.ts';
import { startTracing } from '../shared/kit/start-tracing.ts';
import { createApp } from './app.ts';
import { createHttpServer, listen } from './http/server.ts';
import { createServices } from './services.ts';

const config = await prepare(readConfigOrExit(), { receivesFiles: true });
const log = createLogger('api', config.logLevel, { traced: config.tracing !== undefined });
const tracing = await startTracing('api', config.tracing, log);
const clock = createDatabaseClock();
const { services, stop } = await createServices(config, log, clock);
const following = await clock.follow(services.pool, log);
const { server, drain } = createHttpServer(createApp(services), config.deadlines);
await listen(server, config);
log.info({ url: config.baseUrl, profile: services.profile.name }, 'the API is listening');
onShutdown(
  log,
  [
    async () => {
      services.ready = false;
      services.subscriptions.stop();
      await drain();
    },
    async () => following.stop(),
    stop,
    () => tracing.stop(),
  ],
  { timeoutMs: config.deadlines.apiStop },
);
notifyReady();
