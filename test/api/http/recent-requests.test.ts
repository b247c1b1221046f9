import type { Pool } from 'pg';
import { expect, test } from 'vitest';
import { createRecentRequests, type RecentRequest } from '../../../api/http/recent-requests.ts';
import { truncateNetwork } from '../../../shared/kit/truncate-network.ts';
import { createLogger } from '../../../shared/kit/log.ts';

const request = (n: number): RecentRequest => ({
  at: new Date(n * 1_000).toISOString(),
  request_id: `request-${n}`,
  method: 'GET',
  path: '/api/listings',
  status: 200,
  duration_ms: 1,
  user_id: null,
  ip: '203.0.113.0',
});

test.each([
  ['203.0.113.77', '203.0.113.0'],
  ['2001:db8:1:2::/64', '2001:db8:1::'],
  ['0:0:0:0::/64', '0:0:0::'],
  ['unknown', 'unknown'],
])('of the network %s is told %s', (network, told) => {
  expect(truncateNetwork(network)).toBe(told);
});

test('the last 500 are kept, those of other processes among them, newest first', async () => {
  const others = [{ requests: [request(700), request(1)] }];
  const pool = { query: async () => ({ rows: others }) } as unknown as Pool;
  const recent = createRecentRequests(pool, 'api-1', createLogger('test', 'silent'));
  for (let n = 0; n < 620; n += 1) recent.record(request(n));
  const found = await recent.read();
  await recent.stop();
  expect(found.map(({ request_id }) => request_id)).toEqual([
    'request-700',
    ...Array.from({ length: 499 }, (_, n) => `request-${619 - n}`),
  ]);
});
