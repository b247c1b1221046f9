import type { Request, Response } from 'express';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { announceDeprecation } from '../../../api/http/announce-deprecation.ts';
import { readContract, type Deprecation } from '../../../api/http/contract.ts';
import { closeApps, startApp, type TestApp } from '../../support/app.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startApp({ env: { PROXY_BASE_URL: 'https://proxy.example/boats' } });
});
afterAll(closeApps);

const announced = (headers: Headers) => ['deprecation', 'sunset', 'link'].map((name) => headers.get(name));

test('a deprecated operation says on every answer since when, until when, and what replaces it', async () => {
  const admin = await app.createUser({ role: 'admin' });
  const expected = [
    '@1795478400',
    'Fri, 31 Dec 2027 00:00:00 GMT',
    `<${app.url}/api/reference/rewriteBatch.md>; rel="deprecation"; type="text/markdown"`,
  ];
  const refused = await app.as().post('/api/admin/rewrite', { listing_id: 'no-such-boat' });
  expect([refused.status, ...announced(refused.headers)]).toEqual([401, ...expected]);
  const unknown = await app.as(admin).post('/api/admin/rewrite', { listing_id: 'no-such-boat' });
  expect([unknown.status, ...announced(unknown.headers)]).toEqual([404, ...expected]);
  expect((await app.as().get('/api/reference/rewriteBatch.md')).status).toBe(200);
  expect((await app.as().get('/api/reference/rewriteListing.md')).text).toContain('Ends on 2027-12-31: use');
});

test('behind a proxy prefix the link is of that way, and what is not deprecated announces nothing', async () => {
  const { headers } = await app.as().post('/boats/api/admin/rewrite', { listing_id: 'no-such-boat' });
  expect(headers.get('link')).toContain('<https://proxy.example/boats/api/reference/rewriteBatch.md>');
  expect(announced((await app.as().get('/api/listings')).headers)).toEqual([null, null, null]);
});

test('a deprecated parameter is announced to those who send it, and of several ends the first', () => {
  const end = (parameter: string, sunset: string): Deprecation => ({
    parameter,
    since: new Date('2026-01-01'),
    sunset: new Date(sunset),
    replacedBy: 'searchListings',
  });
  const operation = {
    ...readContract().operations[0]!,
    deprecations: [end('late', '2030-01-01'), end('early', '2029-01-01')],
  };
  const sunsetFor = (query: object) => {
    const headers = new Map<string, string>();
    const response = { setHeader: (name: string, value: string) => headers.set(name, value) };
    announceDeprecation(operation, { query } as Request, response as unknown as Response, {
      base: app.url,
      path: '',
      static: app.url,
    });
    return headers.get('Sunset');
  };
  expect(sunsetFor({ q: 'a' })).toBeUndefined();
  expect(sunsetFor({ late: 'a' })).toBe('Tue, 01 Jan 2030 00:00:00 GMT');
  expect(sunsetFor({ late: 'a', early: 'b' })).toBe('Mon, 01 Jan 2029 00:00:00 GMT');
});

test('an end is announced six months before it at least, in the changelog too', () => {
  for (const { deprecations } of readContract().operations)
    for (const { since, sunset } of deprecations)
      expect(sunset.getTime() - since.getTime()).toBeGreaterThan(182 * 86_400_000);
});
