import { once } from 'node:events';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { cloneDatabase } from '../support/database.ts';
import { endAll, newFolder, run, startSupervisor, type Running } from './support.ts';

afterEach(endAll);

const { url } = await cloneDatabase();
const recorder = join(import.meta.dirname, 'fixtures/loaded-packages.ts');

/** What only some requests, jobs or settings need: each is 5-40 MB of a process that has loaded it. */
const SELDOM_NEEDED = [
  '@opentelemetry/context-async-hooks',
  '@opentelemetry/core',
  '@opentelemetry/exporter-trace-otlp-proto',
  '@opentelemetry/resources',
  '@opentelemetry/sdk-trace',
  '@aws-sdk/client-s3',
  '@crawlee/basic',
  '@crawlee/playwright',
  '@simplewebauthn/server',
  '@zxcvbn-ts/language-common',
  'cheerio',
  'eld',
  'express-openapi-validator',
  'heic-decode',
  'node-pg-migrate',
  'openai',
  'playwright',
  'sharp',
  'stripe',
  'typesense',
  'undici',
];

const recording = (folder: string) => {
  const loaded = join(folder, 'loaded');
  mkdirSync(loaded);
  return { loaded, environment: { DATABASE_URL: url, LOADED_PACKAGES: loaded, NODE_OPTIONS: `--import ${recorder}` } };
};

async function packagesOf({ child, end }: Running, loaded: string): Promise<string[]> {
  child.kill('SIGTERM');
  expect(await end()).toBe(0);
  return readFileSync(join(loaded, String(child.pid)), 'utf8').split('\n');
}

test.each(['api', 'workers', 'scrapers'])(
  '%s that have nothing to do have loaded no package that is seldom needed',
  async (name) => {
    const folder = newFolder();
    const { loaded, environment } = recording(folder);
    const script = join(import.meta.dirname, `../../${name}/main.ts`);
    const running = run([script], folder, { ...environment, PORT: '0', DATA_DIR: folder }, { ipc: true });
    await once(running.child, 'message');
    const packages = await packagesOf(running, loaded);
    expect(packages).toContain('pg');
    expect(SELDOM_NEEDED.filter((each) => packages.includes(each))).toEqual([]);
  },
  240_000,
);

test('the supervisor has loaded what starts PostgreSQL and reads settings, and nothing else', async () => {
  const folder = newFolder();
  const { loaded, environment } = recording(folder);
  const running = startSupervisor(folder, { api: 'api' }, environment);
  await running.line(/^Quayside is ready/);
  const packages = await packagesOf(running, loaded);
  const ofDriver = /^(?:pg-|postgres-)|^xtend$/;
  expect(packages.filter((each) => !ofDriver.test(each)).toSorted()).toEqual(['ipaddr.js', 'pg', 'zod']);
}, 240_000);
