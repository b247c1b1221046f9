import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { z } from 'zod';
import { readContract } from '../api/http/contract.ts';
import { readConfig } from '../shared/kit/config.ts';

const read = (path: string) => readFileSync(new URL(`../${path}`, import.meta.url), 'utf8');

/** The commands of the Procfile, by process. */
const commands = Object.fromEntries(
  [...read('Procfile').matchAll(/^(\w+): (.+)$/gm)].map(([, name = '', command = '']) => [name, command]),
);

const composeFile = z.object({
  services: z.record(z.string(), z.looseObject({ command: z.array(z.string()).optional() })),
});
const deployment = z.looseObject({
  kind: z.string(),
  spec: z.looseObject({
    template: z.object({
      spec: z.looseObject({ containers: z.array(z.looseObject({ name: z.string(), command: z.array(z.string()) })) }),
    }),
  }),
});

test('containers, units and pods start what the Procfile starts', () => {
  const { services } = composeFile.parse(parse(read('.deploy/compose.yaml'), { merge: true }));
  const units = { api: 'quayside-api@', workers: 'quayside-workers', scrapers: 'quayside-scrapers' };
  for (const [name, unit] of Object.entries(units)) {
    expect(services[name]?.command?.join(' ')).toBe(commands[name]);
    const [, start] = /^ExecStart=\/usr\/bin\/(.+)$/m.exec(read(`.deploy/systemd/${unit}.service`))!;
    expect(start).toBe(commands[name]);
    const pods = parseAllDocuments(read(`.deploy/kubernetes/${name}.yaml`)).map((each) => each.toJS());
    const { spec } = deployment.parse(pods.find(({ kind }) => kind === 'Deployment'));
    expect(spec.template.spec.containers.map(({ command }) => command.join(' '))).toEqual([commands[name]]);
  }
  const [, image] = /^CMD (\[.+\])$/m.exec(read('.deploy/Dockerfile'))!;
  expect((JSON.parse(image!) as string[]).join(' ')).toBe(commands['api']);
});

test('probes ask paths that there are, and the target wants units that there are', () => {
  const paths = new Set(readContract().operations.map(({ path }) => path));
  const asked = [...read('.deploy/kubernetes/api.yaml').matchAll(/path: (\/\S+?),/g)].map(([, path]) => path!);
  expect(asked.length).toBeGreaterThan(0);
  for (const path of asked) expect(paths).toContain(path);
  const units = readdirSync(new URL('../.deploy/systemd', import.meta.url));
  const [, wanted = ''] = /^Wants=(.+)$/m.exec(read('.deploy/systemd/quayside.target'))!;
  for (const unit of wanted.split(' ')) expect(units).toContain(unit.replace(/@\d+/, '@'));
});

test('the settings of the example are settings, and start a fleet of production once their secrets are filled in', () => {
  const settings = Object.fromEntries(
    [...read('.deploy/quayside.env.example').matchAll(/^(\w+)=(.*)$/gm)].map(([, name, value]) => [name!, value!]),
  );
  const documented = read('README.md');
  for (const name of Object.keys(settings)) expect(documented).toContain(`\`${name}\``);
  const start = (given: Record<string, string>) => readConfig({ ...settings, ...given, NODE_ENV: 'production' });
  expect(() => start({})).toThrow(/JWT_SECRET/);
  const secrets = Object.entries(settings).flatMap(([name, value]) => (value === '' ? [name] : []));
  expect(secrets).toEqual(['JWT_SECRET', 'ADMIN_PASSWORD', 'METRICS_TOKEN']);
  expect(start(Object.fromEntries(secrets.map((name) => [name, `${name} that nobody knows`])))).toMatchObject({
    backupSchedule: '0 3 * * *',
  });
});
