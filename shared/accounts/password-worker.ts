import { argon2Sync } from 'node:crypto';
import { setPriority } from 'node:os';

export type HashRequest = {
  password: string;
  salt: Uint8Array;
  memory: number;
  passes: number;
  parallelism: number;
  length: number;
};

const LOW_PRIORITY = 10;

// Linux gives every thread a priority of its own. During a storm of logins others are answered in 8 ms so, in 27 ms without
// (the median of a detail; argon2 of node:crypto in libuv's threads, as many at once).
if (process.platform === 'linux') setPriority(LOW_PRIORITY);

/** The argon2id hash of a password. */
export default function hashPassword({ password, salt, length, ...parameters }: HashRequest): Uint8Array {
  return argon2Sync('argon2id', { message: password, nonce: salt, tagLength: length, ...parameters });
}
