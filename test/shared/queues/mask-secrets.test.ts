import { describe, expect, test } from 'vitest';
import { findSubject, maskSecrets } from '../../../shared/queues/mask-secrets.ts';

describe('what a job is given, as a person may be shown it', () => {
  test.each([
    [{ token: 'abc', nested: [{ client_secret: 'x', password: 'y' }] }, ['abc', '"x"', '"y"']],
    [{ url: 'https://quayside.example/account#token=Jx8_wq-1&lang=de' }, ['Jx8_wq-1']],
    [{ note: 'key svc_Aa1Bb2Cc3Dd4Ee5Ff and whsec_c2VjcmV0LXNlY3JldA==' }, ['svc_Aa1B', 'whsec_c2V']],
    [{ header: 'Bearer eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl' }, ['eyJhbGci']],
    [{ proxy: 'http://crawler:s3cret@proxy.example.com:3128/' }, ['s3cret', 'crawler']],
    [{ to: 'Anna Petersen <anna.petersen@example.com>', from: 'jürgen@müller.example' }, ['anna.petersen', 'jürgen']],
    [{ ip: '203.0.113.77' }, ['113.77']],
  ])('%j says nothing secret', (payload, secrets) => {
    const shown = JSON.stringify(maskSecrets(payload));
    for (const secret of secrets) expect(shown).not.toContain(secret);
  });

  test('keeps what it is about, and numbers and truths as they are', () => {
    const payload = { listing_id: 'lst_01K6Q95C3D5F7H9K1M3P5R7T9V', round: 3, force: true, none: null };
    expect(maskSecrets(payload)).toEqual(payload);
    expect(maskSecrets({ to: 'anna@example.com' })).toEqual({ to: 'a***@example.com' });
  });

  test('cuts what is too long, too many or too deep', () => {
    const long = maskSecrets({ text: 'a'.repeat(100_000), ids: Array.from({ length: 5_000 }, (_, n) => n) });
    expect(JSON.stringify(long).length).toBeLessThan(4_000);
    let deep: unknown = 'end';
    for (let n = 0; n < 10_000; n += 1) deep = { deep };
    expect(JSON.stringify(maskSecrets(deep))).toContain('…');
  });

  test('the first id in it is what it is about', () => {
    expect(findSubject({ n: 1, listing_ids: ['lst_01K6Q95C3D5F7H9K1M3P5R7T9V'] })).toBe(
      'lst_01K6Q95C3D5F7H9K1M3P5R7T9V',
    );
    expect(findSubject({ url: 'https://example.com' })).toBeNull();
  });
});
