/** Why a test file takes more than 15 seconds of the processor (cpu-report.ts). */
export const dearFiles: Record<string, string> = {
  'test/contract/statuses.test.ts': 'every documented status of every operation: 2,059 tests',
};
