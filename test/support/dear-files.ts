/** Why a test file takes more than 15 seconds of the processor (cpu-report.ts). */
export const dearFiles: Record<string, string> = {
  'test/contract/statuses.test.ts': 'every documented status of every operation: 2,059 tests',
  'test/contract/hostile-sizes.test.ts': 'a body as large as it may be, of each kind, to every operation',
  'test/contract/authorization.test.ts': 'every operation, by every kind of caller',
  'test/contract/fuzz.test.ts': 'generated requests to every operation',
  'test/contract/dictionary.test.ts': 'every place of a request that holds text',
  'test/api/admin/console-accessibility.test.ts': '27 views of the console, each looked at by axe in three forms',
  'test/api/admin/console.test.ts': 'a fleet that crawls and learns while it is watched in a browser',
  'test/api/docs/reference.test.ts': 'the reference, which is large, at each width in both schemes',
  'test/scrapers/feeds/feed-memory.test.ts':
    'feeds of 100,000 items: that they need no memory shows in large ones alone',
  'test/scaffolds.test.ts': 'the types and the tests of what is written, by the programs themselves',
  'test/start/walkthrough.test.ts': 'the README, command by command, on fleets of its own',
};
