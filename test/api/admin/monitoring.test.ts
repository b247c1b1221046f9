import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parser } from '@prometheus-io/lezer-promql';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parse } from 'yaml';
import { createJobMetrics } from '../../../shared/kit/metrics.ts';
import { queueNames } from '../../../shared/queues/queues.ts';
import { startApp, type TestApp } from '../../support/app.ts';

const pathOf = (name: string) => join(import.meta.dirname, '../../../api/admin/monitoring', name);
const fileOf = (name: string) => readFileSync(pathOf(name)).toString();

let app: TestApp;
let known: Set<string>;
beforeAll(async () => {
  app = await startApp({ env: { TYPESENSE_URL: 'http://127.0.0.1:1', TYPESENSE_API_KEY: 'of nobody' } });
  createJobMetrics(app.services.registry);
  const { text } = await app.as(await app.createUser({ role: 'admin' })).get('/metrics');
  known = new Set(
    [...text.matchAll(/^# TYPE (\w+) (\w+)$/gm)].flatMap(([, name = '', type]) =>
      type === 'histogram' ? [`${name}_bucket`, `${name}_sum`, `${name}_count`] : [name],
    ),
  );
});
afterAll(async () => {
  await app.close();
});

type Selector = { metric: string; matchers: string };

/** The selectors of a PromQL expression; an error of its grammar throws. `$__rate_interval` is Grafana's. */
function selectorsIn(expression: string): Selector[] {
  const text = expression.replaceAll('$__rate_interval', '5m');
  const found: Selector[] = [];
  parser.parse(text).iterate({
    enter({ name, node, from, to }) {
      if (name === '⚠') throw new Error(`no PromQL: ${text} at ${from}`);
      if (name !== 'VectorSelector') return;
      const [metric] = text.slice(from, to).split('{');
      const matchers = node.getChild('LabelMatchers');
      found.push({ metric: metric!.trim(), matchers: matchers ? text.slice(matchers.from, matchers.to) : '' });
    },
  });
  return found;
}

/** Metrics that nothing tells, and selectors that would read the series of other services too. */
const faultsIn = (expression: string, recorded: readonly string[] = []) =>
  selectorsIn(expression)
    .filter(({ metric }) => !recorded.includes(metric))
    .filter(({ metric, matchers }) => !(known.has(metric) || metric === 'up') || !matchers.includes('job="quayside"'));
const queuesIn = (expression: string) => [...expression.matchAll(/queue="([^"]+)"/g)].map(([, name]) => name);

type Rule = {
  record?: string;
  alert?: string;
  expr: string;
  labels: { severity: string };
  annotations: { summary: string; runbook_url: string };
};
const allRules = () =>
  (parse(fileOf('prometheus-alerts.yml')) as { groups: { rules: Rule[] }[] }).groups.flatMap(({ rules }) => rules);
const ruleOf = (name: string) => allRules().find(({ alert }) => alert === name)!;

test('every alert is told by metrics of this service that there are, says what is wrong, and leads to a runbook', async () => {
  const recorded = allRules().flatMap(({ record }) => record ?? []);
  expect(allRules().flatMap(({ expr }) => faultsIn(expr, recorded))).toEqual([]);
  const rules = allRules().filter(({ alert }) => alert);
  expect(rules.length).toBeGreaterThan(20);
  const page = await fetch(`${app.url}/api/docs/guides/runbooks`);
  const html = await page.text();
  expect(rules.filter(({ annotations }) => !html.includes(`id="${annotations.runbook_url.split('#')[1]}"`))).toEqual(
    [],
  );
  expect(
    rules.flatMap(({ expr }) => queuesIn(expr)).filter((name) => !queueNames.some((each) => each === name)),
  ).toEqual([]);
  expect(
    rules.filter(
      ({ annotations, labels }) => !annotations.summary || !['critical', 'warning'].includes(labels.severity),
    ),
  ).toEqual([]);
});

test('every panel of the dashboard shows metrics that there are, in its own place', () => {
  const { panels } = JSON.parse(fileOf('grafana-dashboard.json')) as {
    panels: { type: string; gridPos: { x: number; y: number; w: number }; targets?: { expr: string }[] }[];
  };
  const expressions = panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr));
  expect(expressions.length).toBeGreaterThan(15);
  expect(expressions.flatMap((each) => faultsIn(each))).toEqual([]);
  const places = panels.map(({ gridPos: { x, y } }) => `${x} ${y}`);
  expect(new Set(places).size).toBe(places.length);
  expect(panels.filter(({ gridPos: { x, w } }) => x + w > 24)).toEqual([]);
  const operations = new Set(app.services.contract.operations.map(({ id }) => String(id)));
  const named = expressions.flatMap((each) => [...each.matchAll(/operation="([^"]+)"/g)].map(([, name]) => name!));
  expect(named.filter((name) => !operations.has(name))).toEqual([]);
  const queues = new Set<string>(queueNames);
  expect(expressions.flatMap(queuesIn).filter((name) => !queues.has(name!))).toEqual([]);
});

test('a panel of what may not have happened yet shows 0, and not that there is no data', () => {
  const { panels } = JSON.parse(fileOf('grafana-dashboard.json')) as { panels: { targets?: { expr: string }[] }[] };
  const filtered = panels
    .flatMap(({ targets = [] }) => targets.map(({ expr }) => expr))
    .filter((expr) => /(?:> 0$|quayside_listings|quayside_payments|outcome="failed"|status="\d|status=~"5)/.test(expr));
  expect(filtered.length).toBeGreaterThan(5);
  expect(filtered.filter((expr) => !/ or (?:on\(\) )?vector\(0\)$/.test(expr))).toEqual([]);
});

/** Prometheus' own tool, from Debian's package prometheus. */
const promtool = (args: string[], input = '') => spawnSync('promtool', args, { input, encoding: 'utf8' });
const hasPromtool = promtool(['--version']).status === 0;
if (!hasPromtool) console.warn('promtool is absent: what it says of rules and metrics is not tested');

test.skipIf(!hasPromtool)('promtool takes rules and metrics as they are', async () => {
  const rules = promtool(['check', 'rules', pathOf('prometheus-alerts.yml')]);
  expect(rules).toMatchObject({ status: 0, stderr: '' });
  const { text } = await app.as(await app.createUser({ role: 'admin' })).get('/metrics');
  expect(promtool(['check', 'metrics'], text)).toMatchObject({ status: 0, stderr: '' });
});

test.skipIf(!hasPromtool)('a service is told to have no backup once it has had two days for one, not before', () => {
  const folder = mkdtempSync(join(tmpdir(), 'quayside-rules-'));
  const series = 'quayside_backup_last_success_timestamp_seconds{job="quayside"}';
  const alertAt = (time: string, isFiring: boolean) => ({
    alertname: 'QuaysideBackupStale',
    eval_time: time,
    exp_alerts: isFiring
      ? [{ exp_labels: { severity: 'warning' }, exp_annotations: ruleOf('QuaysideBackupStale').annotations }]
      : [],
  });
  // Rules are tested from 1970 on, where 0 is now: a backup that was never made is one of long before.
  const never = { series, values: `${-90 * 86_400}x4320` };
  const made = { series, values: `${-90 * 86_400}x3599 ${60 * 3_600}x720` };
  const suite = (name: string, given: object, alerts: object[]) => ({
    name,
    interval: '1m',
    input_series: [given],
    alert_rule_test: alerts,
  });
  try {
    const file = join(folder, 'backups.yml');
    const tests = [
      suite('never', never, [alertAt('2h', false), alertAt('47h', false), alertAt('52h', true)]),
      suite('made', made, [alertAt('52h', true), alertAt('62h', false)]),
    ];
    writeFileSync(file, JSON.stringify({ rule_files: [pathOf('prometheus-alerts.yml')], tests }));
    const { status, stdout, stderr } = promtool(['test', 'rules', file]);
    expect(status, `${stdout}${stderr}`).toBe(0);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

test('names are those that the conventions of Prometheus ask for: a namespace, units, and `_total` for counters alone', async () => {
  const { text } = await app.as(await app.createUser({ role: 'admin' })).get('/metrics');
  const types = [...text.matchAll(/^# TYPE (\w+) (\w+)$/gm)].map(([, name = '', type = '']) => ({ name, type }));
  expect(types.filter(({ name }) => !/^(quayside|process|nodejs)_/.test(name))).toEqual([]);
  expect(types.filter(({ name, type }) => (type === 'counter') !== name.endsWith('_total'))).toEqual([]);
  expect(text).toMatch(/^quayside_build_info\{[^}]*version="\d+\.\d+\.\d+[^}]*\} 1$/m);
});

test('figures of the business, of backups and of the disk are told, each for the whole marketplace and of no process', async () => {
  const admin = app.as(await app.createUser({ role: 'admin' }));
  const { text } = await admin.get('/metrics');
  const value = (series: string) => Number(new RegExp(`^${RegExp.escape(series)} (\\S+)$`, 'm').exec(text)?.[1]);
  expect(value('quayside_users{status="active"}')).toBeGreaterThan(0);
  expect(value('quayside_users{status="suspended"}')).toBe(0);
  expect(value('quayside_backup_last_success_timestamp_seconds')).toBe(0);
  expect(value('quayside_webhooks_failing')).toBe(0);
  expect(value('quayside_emails_failing{state="refused"}')).toBe(0);
  expect(value('quayside_database_size_bytes')).toBeGreaterThan(1_000_000);
  expect(value('quayside_disk_free_bytes')).toBeLessThan(value('quayside_disk_size_bytes'));
});
