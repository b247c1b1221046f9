import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parse } from 'yaml';
import { createJobMetrics } from '../../../shared/kit/metrics.ts';
import { queueNames } from '../../../shared/queues/queues.ts';
import { startApp, type TestApp } from '../../support/app.ts';

const fileOf = (name: string) =>
  readFileSync(new URL(`../../../api/admin/monitoring/${name}`, import.meta.url)).toString();

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

const words = new Set(
  'by,le,rate,sum,min,max,time,increase,absent,histogram_quantile,topk,or,up,queue,reader,scraper,process,status,operation,outcome,state,part'.split(
    ',',
  ),
);
/** The names of metrics in an expression: what is no function, label or text. */
const metricsIn = (expression: string) =>
  expression
    .replaceAll(/"[^"]*"|\{[^}]*\}|\[[^\]]*\]/g, ' ')
    .match(/[a-z][a-z0-9_]+/g)!
    .filter((word) => !words.has(word));
const queuesIn = (expression: string) => [...expression.matchAll(/queue="([^"]+)"/g)].map(([, name]) => name);

test('every alert is told by metrics that there are, and says what is wrong', () => {
  const { groups } = parse(fileOf('prometheus-alerts.yml')) as {
    groups: {
      rules: { alert: string; expr: string; labels: { severity: string }; annotations: { summary: string } }[];
    }[];
  };
  const rules = groups.flatMap((group) => group.rules);
  expect(rules.length).toBeGreaterThan(10);
  expect(rules.flatMap(({ expr }) => metricsIn(expr)).filter((name) => !known.has(name))).toEqual([]);
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
  expect(expressions.flatMap(metricsIn).filter((name) => !known.has(name))).toEqual([]);
  const places = panels.map(({ gridPos: { x, y } }) => `${x} ${y}`);
  expect(new Set(places).size).toBe(places.length);
  expect(panels.filter(({ gridPos: { x, w } }) => x + w > 24)).toEqual([]);
});
