import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readContract } from '../../api/http/contract.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { fuzzOperation } from '../support/openapi-cases-fuzz.ts';

/** Enough to notice a broken rule; `node test/bench/fuzz.ts` sends thousands. */
const profiles = [
  { profile: 'nautical', runs: 24 },
  { profile: 'general', runs: 6 },
] as const;
const SEED = 20_260_401;

describe.each(profiles)(
  'in the $profile profile no generated request makes a fault, slips past the schema or is refused without reason',
  ({ profile, runs }) => {
    let app: TestApp;
    beforeAll(async () => {
      app = await startApp({ profile });
    });
    afterAll(async () => {
      await app.close();
    });

    test.each(readContract().operations.map(({ id }) => id))('%s', async (id) => {
      const { statuses } = await fuzzOperation(app, id, { runs, seed: SEED });
      expect(Object.values(statuses).reduce((sum, n) => sum + n, 0)).toBe(runs);
    });
  },
);
