import { argon2Sync } from 'node:crypto';
import { setPriority } from 'node:os';
import { parentPort } from 'node:worker_threads';

export type HashRequest = {
  password: string;
  salt: Uint8Array;
  memory: number;
  passes: number;
  parallelism: number;
  length: number;
};

const LOW_PRIORITY = 10;

// Linux gives every thread a priority of its own: whenever the thread that answers requests wants to run, it goes first.
if (process.platform === 'linux') setPriority(LOW_PRIORITY);

parentPort?.on('message', ({ password, salt, length, ...parameters }: HashRequest) => {
  const hash = argon2Sync('argon2id', { message: password, nonce: salt, tagLength: length, ...parameters });
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
  parentPort?.postMessage(new Uint8Array(hash));
});
