import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { CpuReport } from './support/cpu-report.ts';
import { LongFirst } from './support/long-first.ts';

/** Files that measure the memory of their process, or load modules anew: they have it to themselves. */
const alone = [
  'test/scrapers/crawl/crawl.test.ts',
  'test/shared/adapters/fetch.test.ts',
  'test/shared/search/filters-table.test.ts',
];

const each = {
  setupFiles: ['test/support/fast-check.ts', 'test/support/every-file.ts'],
  unstubEnvs: true,
};

export default defineConfig({
  root: fileURLToPath(new URL('..', import.meta.url)),
  test: {
    globalSetup: ['test/support/global-setup.ts'],
    reporters: ['default', new CpuReport()],
    pool: 'forks',
    maxWorkers: 4,
    teardownTimeout: 60_000,
    sequence: { sequencer: LongFirst },
    projects: [
      { test: { ...each, name: 'alone', include: alone } },
      // The others share a few processes: what they import is loaded, and the contract read, once in each and not once per file.
      { test: { ...each, name: 'together', include: ['test/**/*.test.ts'], exclude: alone, isolate: false } },
    ],
  },
});
