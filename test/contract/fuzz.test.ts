import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readContract } from '../../api/http/contract.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { isSoak, seed, times } from '../support/lane.ts';
import { fuzzOperation } from '../support/openapi-cases-fuzz.ts';

/** Enough to notice a broken rule; `node test/bench/fuzz.ts` sends thousands. */
const cars = fileURLToPath(new URL('../fixtures/cars.yaml', import.meta.url));
type Marketplace = {
  name: string;
  options: Parameters<typeof startApp>[0];
  runs: number;
  tags?: RegExp;
};

/** The operations that the data of a marketplace reaches: all others are held in one marketplace, and in another in lane `soak`. */
const reached = /^(?:catalog|listings|search|ingest|pricing|favorites|saved-searches|rewriting|feeds)$/;
const marketplaces: Marketplace[] = [
  { name: 'nautical', options: { profile: 'nautical' }, runs: times(4, 60) },
  { name: 'general', options: { profile: 'general' }, runs: times(2, 30), ...(!isSoak && { tags: reached }) },
  { name: 'cars', options: { marketplaceFile: cars }, runs: times(2, 15), tags: reached },
];

describe.each(marketplaces)(
  'in the marketplace $name no generated request makes a fault, slips past the schema or is refused without reason',
  ({ options, runs, tags = /./ }) => {
    let app: TestApp;
    beforeAll(async () => {
      app = await startApp(options);
    });
    afterAll(async () => {
      await app.close();
    });

    const operations = readContract().operations.filter(({ tag }) => tags.test(tag));
    test.each(operations.map(({ id }) => id))('%s', async (id) => {
      const { statuses } = await fuzzOperation(app, id, { runs, seed });
      expect(Object.values(statuses).reduce((sum, n) => sum + n, 0)).toBe(runs);
    });
  },
);
