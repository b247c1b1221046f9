import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readContract } from '../../api/http/contract.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { fuzzOperation } from '../support/openapi-cases-fuzz.ts';

/** Enough to notice a broken rule; `node test/bench/fuzz.ts` sends thousands. */
const cars = fileURLToPath(new URL('../fixtures/cars.yaml', import.meta.url));
type Marketplace = {
  name: string;
  options: Parameters<typeof startApp>[0];
  runs: number;
  tags?: RegExp;
};

/** What a marketplace file alone makes is held with those operations that its data reaches; all of them pass there, too. */
const marketplaces: Marketplace[] = [
  { name: 'nautical', options: { profile: 'nautical' }, runs: 24 },
  { name: 'general', options: { profile: 'general' }, runs: 6 },
  {
    name: 'cars',
    options: { marketplaceFile: cars },
    runs: 3,
    tags: /^(?:catalog|listings|search|ingest|pricing|favorites|saved-searches|rewriting|feeds)$/,
  },
];
const SEED = 20_260_401;

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
      const { statuses } = await fuzzOperation(app, id, { runs, seed: SEED });
      expect(Object.values(statuses).reduce((sum, n) => sum + n, 0)).toBe(runs);
    });
  },
);
