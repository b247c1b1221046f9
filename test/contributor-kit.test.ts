import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { readConfig } from '../shared/kit/config.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const read = (name: string) => readFileSync(join(root, name), 'utf8');
const isThere = (name: string) => existsSync(join(root, name));
const scripts = Object.keys(JSON.parse(read('package.json')).scripts as object);

const documents = [
  'README.md',
  ...readdirSync(join(root, '.github'), { recursive: true, encoding: 'utf8' }).map((name) => join('.github', name)),
  ...['api', 'workers', 'scrapers', 'shared', 'db', 'test'].map((room) => `${room}/README.md`),
].filter((name) => name.endsWith('.md'));

describe.each(documents)('%s', (name) => {
  const text = read(name).replaceAll(/```[\s\S]*?```/g, '');

  test('names only files and folders that are there', () => {
    const named = [...text.matchAll(/`((?:api|workers|scrapers|shared|db|test|\.\w+)\/[\w./-]*)`/g)].map(
      ([, path = '']) => path,
    );
    expect(
      named.filter((path) => !path.startsWith('.data/') && !path.startsWith('shared/data') && !isThere(path)),
    ).toEqual([]);
  });

  test('links only to what is there', () => {
    const targets = [...text.matchAll(/\]\((?!https?:|#|mailto:)([^)#]+)/g)].map(([, target = '']) => target);
    expect(targets.filter((target) => !isThere(join(dirname(name), target)))).toEqual([]);
  });

  test('names only commands of package.json', () => {
    const named = [...read(name).matchAll(/npm run (?:-s )?([a-z][a-z:-]*)/g)].map(([, script = '']) => script);
    expect(named.filter((script) => !scripts.includes(script))).toEqual([]);
  });
});

test('decisions are numbered without a gap, short, and each has its context, decision and consequences', () => {
  const files = readdirSync(join(root, '.github/decisions')).toSorted();
  expect(files.map((file) => file.slice(0, 4))).toEqual(files.map((_, n) => String(n + 1).padStart(4, '0')));
  for (const file of files) {
    const text = read(`.github/decisions/${file}`);
    expect(text.split('\n').length, file).toBeLessThanOrEqual(31);
    for (const part of ['Context', 'Decision', 'Consequences']) expect(text, file).toContain(`**${part}.**`);
  }
});

const compose = z
  .strictObject({
    name: z.string(),
    services: z.record(
      z.string(),
      z.strictObject({
        image: z.string().regex(/^[\w./-]+:[\w.-]+$/, 'names its version'),
        command: z.string().optional(),
        entrypoint: z.array(z.string()).optional(),
        environment: z.record(z.string(), z.string()).optional(),
        ports: z.array(z.string().regex(/^127\.0\.0\.1:\d+:\d+$/, 'is open to this machine alone')).optional(),
        volumes: z.array(z.string()).optional(),
        healthcheck: z.strictObject({ test: z.array(z.string()), interval: z.string(), retries: z.int() }).optional(),
        depends_on: z
          .record(
            z.string(),
            z.strictObject({ condition: z.string().regex(/^service_(?:started|healthy|completed_successfully)$/) }),
          )
          .optional(),
      }),
    ),
    volumes: z.record(z.string(), z.null()),
  })
  .parse(parse(read('.devcontainer/compose.yaml')));

describe('the real stack of .devcontainer', () => {
  test('its configuration is one that the programs accept, and every variable is one that they read', () => {
    const { app } = compose.services;
    const known = new Set(
      [...read('shared/kit/config.ts').matchAll(/^ {2}([A-Z][A-Z0-9_]+): /gm)].map(([, name = '']) => name),
    );
    expect(Object.keys(app?.environment ?? {}).filter((name) => !known.has(name))).toEqual([]);
    const config = readConfig(app?.environment);
    expect([config.databaseUrl, config.typesense, config.s3, config.mail.smtpUrl]).not.toContain(undefined);
    const prometheus = parse(read('.devcontainer/prometheus.yml'));
    expect(prometheus.scrape_configs).toMatchObject([{ authorization: { credentials: config.metricsToken } }]);
  });

  test('mounts files and volumes that are there, and waits for services that are there', () => {
    for (const { volumes = [], depends_on: needed = {}, environment = {} } of Object.values(compose.services)) {
      for (const volume of volumes) {
        const [source = ''] = volume.split(':');
        expect(
          source.startsWith('.') ? isThere(join('.devcontainer', source)) : source in compose.volumes,
          volume,
        ).toBe(true);
      }
      for (const [name, { condition }] of Object.entries(needed)) {
        expect(compose.services).toHaveProperty(name);
        if (condition === 'service_healthy') expect(compose.services[name]?.healthcheck, name).toBeDefined();
      }
      for (const [, host = ''] of Object.values(environment)
        .join(' ')
        .matchAll(/:\/\/(?:[^@ /]+@)?([a-z]+):\d/g))
        expect(compose.services).toHaveProperty(host);
    }
    for (const name of ['datasources', 'dashboards'])
      expect(parse(read(`.devcontainer/grafana/${name}.yaml`))).toMatchObject({ apiVersion: 1 });
  });

  test('devcontainer.json opens a service of compose.yaml', () => {
    const { service, dockerComposeFile, workspaceFolder, forwardPorts } = JSON.parse(
      read('.devcontainer/devcontainer.json'),
    );
    expect(isThere(join('.devcontainer', dockerComposeFile))).toBe(true);
    expect(compose.services[service]?.volumes).toContainEqual(expect.stringContaining(`:${workspaceFolder}:`));
    for (const port of forwardPorts as (number | string)[])
      if (typeof port === 'string') expect(compose.services).toHaveProperty(port.split(':')[0] ?? '');
  });
});

test('the debugger starts programs that are there', () => {
  const { configurations } = JSON.parse(read('.vscode/launch.json')) as { configurations: { program?: string }[] };
  const programs = configurations.flatMap(({ program }) => program?.replace('${workspaceFolder}/', '') ?? []);
  expect(programs).toContain('api/main.ts');
  expect(programs.filter((program) => !isThere(program))).toEqual([]);
});

test.each([
  ['ci.yml', ['push', 'pull_request'], '.ci/run'],
  ['soak.yml', ['schedule', 'workflow_dispatch'], 'npm run test:soak'],
])('the workflow %s runs on %s, by actions that are pinned to a commit, and ends with %s', (name, events, command) => {
  const { on, jobs } = parse(read(`.github/workflows/${name}`)) as {
    on: object;
    jobs: Record<string, { steps: { uses?: string; run?: string }[] }>;
  };
  expect(Object.keys(on)).toEqual(events);
  const steps = Object.values(jobs).flatMap((job) => job.steps);
  expect(steps.flatMap(({ uses }) => uses ?? []).filter((uses) => !/@[0-9a-f]{40}$/.test(uses))).toEqual([]);
  expect(steps.at(-1)?.run).toBe(command);
});
