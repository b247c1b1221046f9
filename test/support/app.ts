import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import type { RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createApp } from '../../api/app.ts';
import { createHttpServer } from '../../api/http/server.ts';
import { createServices, type Services } from '../../api/services.ts';
import type { Role } from '../../shared/accounts/roles.ts';
import { inTransaction } from '../../db/client.ts';
import { seedCategories } from '../../shared/catalog/seed-categories.ts';
import type { Clock } from '../../shared/kit/clock.ts';
import { deadlinesOf } from '../../shared/kit/deadlines.ts';
import { readConfig } from '../../shared/kit/config.ts';
import { newId } from '../../shared/kit/ids.ts';
import { createLogger } from '../../shared/kit/log.ts';
import { cloneDatabase, databaseSettings, type TestDatabase } from './database.ts';
import { readBody } from './event-stream.ts';
import { createResponseChecker } from './response-check.ts';
import { indexOfTests } from './search-index.ts';

export type Reply<T = unknown> = { status: number; headers: Headers; text: string; body: T };
type Options = { headers?: Record<string, string>; body?: unknown; raw?: string | Buffer | FormData };

/** Calls the API as one caller; every answer is held against openapi.yaml. */
export type Client = {
  request<T = Json>(method: string, path: string, options?: Options): Promise<Reply<T>>;
  get<T = Json>(path: string, options?: Options): Promise<Reply<T>>;
  post<T = Json>(path: string, body?: unknown, options?: Options): Promise<Reply<T>>;
  put<T = Json>(path: string, body?: unknown, options?: Options): Promise<Reply<T>>;
  patch<T = Json>(path: string, body?: unknown, options?: Options): Promise<Reply<T>>;
  delete<T = Json>(path: string, options?: Options): Promise<Reply<T>>;
};

/** JSON of an answer, loosely: tests say what they expect of it. */
// oxlint-disable-next-line typescript/no-explicit-any
export type Json = any;

export type TestUser = { id: string; email: string; token: string; role: string };

export type TestApp = {
  url: string;
  services: Services;
  database: TestDatabase;
  dataDir: string;
  /** A client with that user's session, an explicit bearer token, or no credential. */
  as(who?: TestUser | string): Client;
  createUser(fields?: { role?: Role; name?: string; email?: string; verified?: boolean }): Promise<TestUser>;
  /** Another API process on the same database. */
  twin(): Promise<TestApp>;
  /** Waits until what the API keeps (cached answers, rates, settings, open streams) has heard of all that was committed before. */
  settled(): Promise<void>;
  close(): Promise<void>;
};

type AppOptions = {
  profile?: 'nautical' | 'general';
  /** The path of a file that describes another marketplace. */
  marketplaceFile?: string | undefined;
  env?: Record<string, string>;
  clock?: Clock;
  database?: TestDatabase;
  /** The host of BASE_URL: passkeys are for a name, not for an address. */
  host?: '127.0.0.1' | 'localhost';
};

const open = new Set<TestApp>();

/** Closes what a test file has left running. */
export async function closeApps(): Promise<void> {
  for (const app of [...open].toReversed()) await app.close();
}

/** The real API on a database of its own, listening on loopback. Rate limits are off unless env sets RATE_LIMIT_MULTIPLIER. */
export async function startApp({
  profile = 'nautical',
  marketplaceFile,
  env = {},
  clock,
  database: given,
  host = '127.0.0.1',
}: AppOptions = {}): Promise<TestApp> {
  const database = given ?? (await cloneDatabase());
  const dataDir = mkdtempSync(join(tmpdir(), 'quayside-app-'));
  // It listens before the configuration is made, which names its port: one that is only looked up may be taken meanwhile.
  let handle: RequestListener | undefined;
  const { server } = createHttpServer(
    (request, response) => handle?.(request, response),
    deadlinesOf(Number(env['DEADLINE_FACTOR'] ?? 20)),
  );
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const config = readConfig({
    NODE_ENV: 'test',
    PORT: String(port),
    ...databaseSettings(database.url),
    DATA_DIR: dataDir,
    MARKETPLACE_PROFILE: profile,
    MARKETPLACE_FILE: marketplaceFile,
    JWT_SECRET: 'a secret of the tests alone',
    STRIPE_WEBHOOK_SECRET: 'whsec_of_the_tests_alone',
    RATE_LIMIT_MULTIPLIER: '0',
    DEADLINE_FACTOR: '20',
    BASE_URL: `http://${host}:${port}`,
    LOG_LEVEL: 'silent',
    ...indexOfTests()?.env,
    ...env,
  });
  const log = createLogger('test', config.logLevel);
  const { databaseUrl = '', directDatabaseUrl = '', jwtSecrets = [] } = config;
  const ready = { ...config, databaseUrl, directDatabaseUrl, jwtSecrets };
  const { services, caughtUp, stop } = await createServices(ready, log, clock);
  if (services.profile.name !== 'nautical' && !given)
    await inTransaction(database.db, (tx) => seedCategories(tx, services.profile));
  handle = createApp(services);
  const url = `http://${host}:${port}`;
  const contract = createResponseChecker(services.contract);
  const index = config.typesense && indexOfTests();
  const before = index && (() => index.follow(services));
  const check: typeof contract = (answer) => {
    index?.note(answer);
    contract(answer);
  };

  const app: TestApp = {
    url,
    services,
    database,
    dataDir,
    as: (who) => createClient(url, typeof who === 'object' ? who.token : who, check, before),
    createUser: (fields) => createUser(services, fields),
    twin: () => startApp({ profile, marketplaceFile, env, clock, database, host }),
    settled: caughtUp,
    async close() {
      open.delete(app);
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await stop();
      if (!given) await database.drop();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
  open.add(app);
  return app;
}

function createClient(
  url: string,
  token: string | undefined,
  check: ReturnType<typeof createResponseChecker>,
  before?: () => Promise<void>,
): Client {
  async function request<T>(
    method: string,
    path: string,
    { headers = {}, body, raw }: Options = {},
  ): Promise<Reply<T>> {
    if (method === 'GET') await before?.();
    const response = await fetch(url + path, {
      method,
      redirect: 'manual',
      headers: {
        ...(token !== undefined && { Authorization: `Bearer ${token}` }),
        ...(body !== undefined && { 'Content-Type': 'application/json' }),
        ...headers,
      },
      body: (raw ?? (body === undefined ? undefined : JSON.stringify(body))) as RequestInit['body'],
    });
    const text = await readBody(response);
    check({ method, path, status: response.status, headers: response.headers, text });
    const isJson = response.headers.get('content-type')?.includes('json') && text !== '';
    return {
      status: response.status,
      headers: response.headers,
      text,
      body: (isJson ? JSON.parse(text) : undefined) as T,
    };
  }
  return {
    request,
    get: (path, options) => request('GET', path, options),
    post: (path, body, options) => request('POST', path, { ...options, body }),
    put: (path, body, options) => request('PUT', path, { ...options, body }),
    patch: (path, body, options) => request('PATCH', path, { ...options, body }),
    delete: (path, options) => request('DELETE', path, options),
  };
}

async function createUser(services: Services, fields: Parameters<TestApp['createUser']>[0] = {}): Promise<TestUser> {
  const id = newId('user');
  const { role = 'user', name = 'Test User', email = `${id.toLowerCase()}@example.com`, verified = true } = fields;
  const now = services.clock.now();
  await services.db
    .insertInto('users')
    .values({ id, email, name, role, verified, created_at: now, updated_at: now })
    .execute();
  return { id, email, role, token: await services.tokens.sign({ id, role, session_epoch: 0 }) };
}
