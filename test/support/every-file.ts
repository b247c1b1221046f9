import { afterAll } from 'vitest';
import { closeApps } from './app.ts';
import { dropDatabases } from './database.ts';

// Files share a process: what one of them has left is not there for the next.
afterAll(async () => {
  await closeApps();
  await dropDatabases();
});
