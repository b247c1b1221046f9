import { describe, expect, test } from 'vitest';
import { parsePasswordHash, formatPasswordHash } from '../../../shared/accounts/password-hash.ts';
import { createPasswords } from '../../../shared/accounts/password.ts';

/** Made elsewhere, by the reference implementation as the package argon2 wraps it, its parameters in another order. */
const foreign = '$argon2id$v=19$m=19456,p=1,t=2$BtlLJPXdpvOA0X2YXDUDIg$S/wjF9RvSvdXzKdFVUuwyRZXao1mpIozRcKEHPwF2CU';

describe('passwords', () => {
  const passwords = createPasswords({ threads: 1 });

  test('a hash is argon2id with the parameters that OWASP asks for, and a salt of its own', async () => {
    const [first, second] = [await passwords.hash('pässword ⛵'), await passwords.hash('pässword ⛵')];
    expect(first).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$[\w+/]{22}\$[\w+/]{43}$/);
    expect(first).not.toBe(second);
    expect(await passwords.verify(first, 'pässword ⛵')).toBe(true);
    expect(await passwords.verify(first, 'passwort ⛵')).toBe(false);
  });

  test('a hash made by another implementation is checked as well', async () => {
    expect(await passwords.verify(foreign, 'pässword ⛵')).toBe(true);
    expect(await passwords.verify(foreign, 'password')).toBe(false);
  });

  test.each([undefined, null, '', 'nonsense', '$2b$10$abcdefghijklmnopqrstuv'])(
    'nothing fits %j, and finding that out takes as long as a wrong password',
    async (stored) => {
      let ended = false;
      const wrong = passwords.verify(foreign, 'wrong').then(() => (ended = true));
      expect(await passwords.verify(stored, '')).toBe(false);
      expect(ended).toBe(true);
      await wrong;
    },
  );

  test('503 once too many wait; those who wait are served, and the thread that answers requests runs on', async () => {
    const narrow = createPasswords({ threads: 1, mostWaiting: 3 });
    await narrow.hash('warm');
    const outcomes = Array.from({ length: 8 }, () => narrow.hash('password'));
    const [before, here] = [process.cpuUsage(), process.threadCpuUsage()];
    const settled = await Promise.allSettled(outcomes);
    const [all, own] = [process.cpuUsage(before), process.threadCpuUsage(here)];
    expect(settled.map(({ status }) => status)).toEqual([...Array(4).fill('fulfilled'), ...Array(4).fill('rejected')]);
    expect(settled.at(-1)).toMatchObject({
      reason: { code: 'service_unavailable', headers: { 'Retry-After': expect.any(String) } },
    });
    expect(own.user).toBeLessThan(all.user / 2);
  });
});

test('the text of a hash is read as it was written', () => {
  const parts = parsePasswordHash(foreign);
  expect(parts).toMatchObject({ memory: 19_456, passes: 2, parallelism: 1 });
  expect(parsePasswordHash(formatPasswordHash(parts!))).toEqual(parts);
  expect(formatPasswordHash(parts!)).toContain('$m=19456,t=2,p=1$');
});
