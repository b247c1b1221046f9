import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { loadEnvFile } from 'node:process';
import { z } from 'zod';
import { UnusableDatabaseError } from '../../db/errors.ts';
import { isEmail } from './email.ts';
import { deadlinesOf } from './deadlines.ts';
import { isAllowEntry } from './allow-list.ts';
import { sitePaths, sitePathsSetting } from './site-links.ts';
import { isProxyUrl } from './proxy-url.ts';
import { tracingOf, tracingVariables } from './tracing-config.ts';
import { commaList, httpUrl, optional, withDefault } from './variable.ts';

/** EX_CONFIG of sysexits.h: starting again would not help. */
export const badConfigurationExit = 78;

const port = z.coerce.number().int().min(0).max(65_535);
const cents = z.coerce.number().int().min(1).max(99_999_999);

const postgresUrl = z.string().regex(/^postgres(ql)?:\/\//, 'must be a postgres:// URL');
const isPostgresUrl = (text: string) => /^postgres(?:ql)?:\/\/[^/]/.test(text) && URL.canParse(text);

/** What a name and a colour of a brand have to be, wherever they are set. */
export const brandSchemas = {
  name: z
    .string()
    .trim()
    .regex(/^[^\p{Cc}<>"\\]{1,60}$/u, 'must be 1-60 characters, none of them < > " \\ or a control character'),
  color: z.string().regex(/^#[0-9a-f]{6}$/i, 'must be a colour such as #0b5cad'),
};

const environment = z.object({
  NODE_ENV: withDefault(z.enum(['development', 'test', 'production']), 'development'),
  PORT: withDefault(port, 3000),
  HOST: withDefault(z.string(), '127.0.0.1'),
  REUSE_PORT: withDefault(z.stringbool(), 'false'),
  DATABASE_URL: optional(postgresUrl),
  DATABASE_REPLICA_URLS: withDefault(
    commaList.refine((list) => list.every(isPostgresUrl), 'must be postgres:// URLs, comma-separated'),
    '',
  ),
  DATABASE_DIRECT_URL: optional(postgresUrl),
  DATABASE_POOL_SIZE: withDefault(z.coerce.number().int().min(2).max(200), 10),
  DATA_DIR: withDefault(z.string(), '.data'),
  BASE_URL: optional(httpUrl),
  PROXY_BASE_URL: optional(httpUrl),
  STATIC_URL: optional(httpUrl),
  SITE_URL: optional(httpUrl),
  SITE_PATHS: optional(sitePathsSetting),
  BRAND_NAME: optional(brandSchemas.name),
  BRAND_COLOR: optional(brandSchemas.color),
  BRAND_LOGO_URL: optional(httpUrl),
  IMPRINT_URL: optional(httpUrl),
  MAP_TILES_URL: optional(
    httpUrl.refine((url) => ['z', 'x', 'y'].every((name) => url.includes(`{${name}}`)), 'must hold {z}, {x} and {y}'),
  ),
  MAP_ATTRIBUTION: optional(z.string().trim().max(200)),
  MARKETPLACE_PROFILE: withDefault(z.enum(['nautical', 'general']), 'nautical'),
  MARKETPLACE_FILE: optional(z.string()),
  JWT_SECRET: optional(
    commaList.refine((list) => list.every((secret) => secret.length >= 16), 'each secret needs at least 16 characters'),
  ),
  ADMIN_EMAIL: optional(z.string().refine(isEmail, 'must be an email address')),
  ADMIN_PASSWORD: optional(z.string().min(8).max(128)),
  REQUIRE_SECOND_FACTOR: withDefault(z.stringbool(), 'false'),
  TRUST_PROXY: withDefault(z.coerce.number().int().min(0).max(10), 0),
  RATE_LIMIT_MULTIPLIER: withDefault(z.coerce.number().min(0).max(1_000_000), 1),
  DEADLINE_FACTOR: withDefault(z.coerce.number().positive().max(1_000), 1),
  TYPESENSE_URL: optional(commaList.pipe(z.array(httpUrl))),
  TYPESENSE_API_KEY: optional(z.string()),
  TYPESENSE_COLLECTION: withDefault(
    z.string().regex(/^[A-Za-z0-9_-]{1,64}$/, 'must be 1-64 letters, digits, _ or -'),
    'listings',
  ),
  S3_BUCKET: optional(z.string()),
  S3_ENDPOINT: optional(httpUrl),
  S3_REGION: withDefault(z.string(), 'us-east-1'),
  S3_ACCESS_KEY_ID: optional(z.string()),
  S3_SECRET_ACCESS_KEY: optional(z.string()),
  S3_FORCE_PATH_STYLE: withDefault(z.stringbool(), 'false'),
  SMTP_URL: optional(z.string().regex(/^smtps?:\/\//, 'must be an smtp:// or smtps:// URL')),
  MAIL_FROM: optional(z.string()),
  OPENAI_API_KEY: optional(z.string()),
  OPENAI_BASE_URL: optional(httpUrl),
  OPENAI_MODEL: withDefault(z.string(), 'gpt-4o-mini'),
  STRIPE_SECRET_KEY: optional(z.string()),
  STRIPE_WEBHOOK_SECRET: optional(z.string()),
  STRIPE_API_BASE: optional(httpUrl),
  PREMIUM_FEATURED_7_CENTS: withDefault(cents, 1_900),
  PREMIUM_FEATURED_30_CENTS: withDefault(cents, 4_900),
  PREMIUM_URGENT_7_CENTS: withDefault(cents, 900),
  PREMIUM_URGENT_30_CENTS: withDefault(cents, 2_400),
  METRICS_TOKEN: optional(z.string().min(16, 'needs at least 16 characters')),
  FETCH_ALLOW: withDefault(
    commaList.refine((list) => list.every(isAllowEntry), 'must be hosts, addresses or CIDRs'),
    '',
  ),
  BACKUP_SCHEDULE: optional(
    z.string().regex(/^[\d*,/-]+( [\d*,/-]+){4}$/, 'must be a cron expression of five fields, like 0 3 * * *'),
  ),
  RATES_URL: optional(z.url({ protocol: /^https?$/ })),
  CHROMIUM_PATH: optional(z.string()),
  CRAWLER_CONTACT: optional(
    z
      .string()
      .max(200)
      .regex(/^[\x21-\x7e]+$/, 'must be an email address or a URL'),
  ),
  CRAWL_PROXY_URLS: withDefault(
    commaList.refine(
      (list) => list.every(isProxyUrl),
      'must be http(s)://[user:password@]host[:port], comma-separated',
    ),
    '',
  ),
  QUEUES: optional(commaList),
  ...tracingVariables,
  LOG_LEVEL: withDefault(z.enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']), 'info'),
});

type Environment = z.infer<typeof environment>;

/** How the service shows itself in pages and mails. */
export type Brand = { name: string; color: string; logoUrl: string | undefined; imprintUrl: string | undefined };

const defaultBrand: Brand = { name: 'Quayside', color: '#0b5cad', logoUrl: undefined, imprintUrl: undefined };

/** The sender of mails where MAIL_FROM names none. */
export const senderOf = (brandName: string): string => `"${brandName}" <no-reply@localhost>`;

const definedOf = <T extends object>(fields: T) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]: NonNullable<T[K]>;
  };

export type Config = ReturnType<typeof derive>;

/** Thrown when the environment is unusable; the message holds one line per bad variable. */
export class ConfigError extends Error {}

/** Reads the environment (and `.env`, when present) once; a bad variable throws a ConfigError that names each of them. */
export function readConfig(source: Record<string, string | undefined> = withDotEnv()): Config {
  const parsed = environment.safeParse(source);
  const missing = missingTogether(source);
  if (!parsed.success) throw new ConfigError([...linesOf(parsed.error), ...missing].join('\n'));
  if (missing.length > 0) throw new ConfigError(missing.join('\n'));
  return derive(parsed.data);
}

/** As readConfig, but a bad environment ends the process with one line per bad variable and exit code 78. */
export function readConfigOrExit(): Config {
  return exitOnRefusal(readConfig);
}

/** What `read` answers; a configuration that it refuses ends the process as exitRefused does. */
export function exitOnRefusal<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    return exitRefused(error);
  }
}

/** Ends the process with the lines of a refused configuration and exit code 78; any other error is thrown again. */
export function exitRefused(error: unknown): never {
  if (!isRefusal(error)) throw error;
  console.error(error.message);
  process.exit(badConfigurationExit);
}

/** True for what no start can mend: a bad variable, or one that names what cannot be used. The message is one line each. */
export function isRefusal(error: unknown): error is Error {
  return error instanceof ConfigError || error instanceof UnusableDatabaseError;
}

/** The environment to hand on to child processes, with `changes` on top. */
export function inheritedEnvironment(changes: Record<string, string | undefined>): Record<string, string | undefined> {
  return { ...withDotEnv(), ...changes };
}

/** True when npm runs this process (`npm start`). */
export function startedByNpm(): boolean {
  return process.env.npm_lifecycle_event !== undefined;
}

function withDotEnv(): Record<string, string | undefined> {
  if (existsSync('.env')) loadEnvFile('.env');
  return process.env;
}

function linesOf(error: z.ZodError): string[] {
  const messages = new Map(error.issues.map((issue) => [String(issue.path[0]), issue.message]));
  return [...messages].map(([name, message]) => `${name}: ${message}`);
}

function missingTogether(env: Record<string, string | undefined>): string[] {
  const lines: string[] = [];
  if (env.DATABASE_DIRECT_URL && !env.DATABASE_URL)
    lines.push('DATABASE_URL: required with DATABASE_DIRECT_URL, the way past a pooler');
  if (env.NODE_ENV === 'production' && !env.JWT_SECRET) lines.push('JWT_SECRET: required when NODE_ENV=production');
  if (env.TYPESENSE_URL && !env.TYPESENSE_API_KEY) lines.push('TYPESENSE_API_KEY: required with TYPESENSE_URL');
  if (env.STRIPE_SECRET_KEY && !env.STRIPE_WEBHOOK_SECRET)
    lines.push('STRIPE_WEBHOOK_SECRET: required with STRIPE_SECRET_KEY');
  if (env.S3_ACCESS_KEY_ID && !env.S3_SECRET_ACCESS_KEY)
    lines.push('S3_SECRET_ACCESS_KEY: required with S3_ACCESS_KEY_ID');
  if (env.DATABASE_REPLICA_URLS && !env.DATABASE_URL) lines.push('DATABASE_URL: required with DATABASE_REPLICA_URLS');
  if (env.SITE_PATHS && !env.SITE_URL) lines.push('SITE_URL: required with SITE_PATHS');
  if (env.MAP_TILES_URL && !env.MAP_ATTRIBUTION) lines.push('MAP_ATTRIBUTION: required with MAP_TILES_URL');
  if (Boolean(env.ADMIN_EMAIL) !== Boolean(env.ADMIN_PASSWORD))
    lines.push('ADMIN_PASSWORD: ADMIN_EMAIL and ADMIN_PASSWORD go together');
  return lines;
}

function derive(env: Environment) {
  const baseUrl = env.BASE_URL ?? `http://localhost:${env.PORT}`;
  const brand: Partial<Brand> = {
    name: env.BRAND_NAME,
    color: env.BRAND_COLOR?.toLowerCase(),
    logoUrl: env.BRAND_LOGO_URL,
    imprintUrl: env.IMPRINT_URL,
  };
  return {
    nodeEnv: env.NODE_ENV,
    port: env.PORT,
    reusePort: env.REUSE_PORT,
    host: env.HOST,
    databaseUrl: env.DATABASE_URL,
    databaseReplicaUrls: env.DATABASE_REPLICA_URLS,
    /** For whatever needs a session: LISTEN, locks beyond a transaction, jobs, migrations, backups. */
    directDatabaseUrl: env.DATABASE_DIRECT_URL ?? env.DATABASE_URL,
    /** Whether `databaseUrl` may lead to another server connection with each transaction. */
    transactionPooling: env.DATABASE_DIRECT_URL !== undefined && env.DATABASE_DIRECT_URL !== env.DATABASE_URL,
    databasePoolSize: env.DATABASE_POOL_SIZE,
    dataDir: resolve(env.DATA_DIR),
    baseUrl,
    proxyBaseUrl: env.PROXY_BASE_URL,
    staticUrl: env.STATIC_URL ?? `${baseUrl}/static`,
    /** Where people are sent; `isOwn` while that is the pages of this service. */
    site: { url: env.SITE_URL ?? baseUrl, paths: env.SITE_PATHS ?? sitePaths, isOwn: env.SITE_URL === undefined },
    brand: { ...defaultBrand, ...definedOf(brand) },
    /** What of it is set; the rest is the marketplace's own to say. */
    givenBrand: brand,
    /** Raster tiles of somebody else, and who has to be named for them; without them the outlines that ship with the service. */
    map: {
      tilesUrl: env.MAP_TILES_URL,
      attribution: env.MAP_TILES_URL === undefined ? 'Natural Earth' : env.MAP_ATTRIBUTION,
    },
    /** The marketplace that ships with the service, unless a file describes another one. */
    profile: env.MARKETPLACE_PROFILE,
    marketplaceFile: env.MARKETPLACE_FILE === undefined ? undefined : resolve(env.MARKETPLACE_FILE),
    jwtSecrets: env.JWT_SECRET,
    admin: env.ADMIN_EMAIL && env.ADMIN_PASSWORD ? { email: env.ADMIN_EMAIL, password: env.ADMIN_PASSWORD } : undefined,
    /** Whether administrators and moderators need a second factor. */
    requireSecondFactor: env.REQUIRE_SECOND_FACTOR,
    trustProxyHops: env.TRUST_PROXY,
    rateLimitMultiplier: env.RATE_LIMIT_MULTIPLIER,
    deadlines: deadlinesOf(env.DEADLINE_FACTOR),
    typesense: env.TYPESENSE_URL
      ? { nodes: env.TYPESENSE_URL, apiKey: env.TYPESENSE_API_KEY ?? '', collection: env.TYPESENSE_COLLECTION }
      : undefined,
    s3: env.S3_BUCKET
      ? {
          bucket: env.S3_BUCKET,
          endpoint: env.S3_ENDPOINT,
          region: env.S3_REGION,
          credentials:
            env.S3_ACCESS_KEY_ID && env.S3_SECRET_ACCESS_KEY
              ? { accessKeyId: env.S3_ACCESS_KEY_ID, secretAccessKey: env.S3_SECRET_ACCESS_KEY }
              : undefined,
          forcePathStyle: env.S3_FORCE_PATH_STYLE,
        }
      : undefined,
    mail: { smtpUrl: env.SMTP_URL, from: env.MAIL_FROM ?? senderOf(brand.name ?? defaultBrand.name) },
    openai: env.OPENAI_API_KEY
      ? { apiKey: env.OPENAI_API_KEY, baseUrl: env.OPENAI_BASE_URL, model: env.OPENAI_MODEL }
      : undefined,
    payments: {
      stripe: env.STRIPE_SECRET_KEY ? { secretKey: env.STRIPE_SECRET_KEY, apiBase: env.STRIPE_API_BASE } : undefined,
      /** Set alone, the refunds of earlier purchases are still heard of. */
      webhookSecret: env.STRIPE_WEBHOOK_SECRET,
      currency: 'EUR',
      pricesInCents: {
        featured: { 7: env.PREMIUM_FEATURED_7_CENTS, 30: env.PREMIUM_FEATURED_30_CENTS },
        urgent: { 7: env.PREMIUM_URGENT_7_CENTS, 30: env.PREMIUM_URGENT_30_CENTS },
      },
    },
    metricsToken: env.METRICS_TOKEN,
    fetchAllow: env.FETCH_ALLOW,
    backupSchedule: env.BACKUP_SCHEDULE,
    ratesUrl: env.RATES_URL,
    chromiumPath: env.CHROMIUM_PATH,
    crawlerContact: env.CRAWLER_CONTACT,
    crawlProxyUrls: env.CRAWL_PROXY_URLS,
    queues: env.QUEUES,
    /** Where spans of OpenTelemetry are wanted, how; undefined otherwise. */
    tracing: tracingOf(env),
    logLevel: env.LOG_LEVEL,
  };
}
