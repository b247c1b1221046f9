import { expect, test } from 'vitest';
import { anyCase } from '../../../shared/normalize/any-case.ts';

test('words match in any case, and what stands beside them as it is written', () => {
  const pattern = new RegExp(`^(?:[A-Z]{3}|${anyCase('kč|mio\\.?|us\\$|руб')})$`, 'u');
  for (const text of ['kč', 'KČ', 'Kč', 'mio', 'Mio.', 'US$', 'Руб', 'EUR']) expect(text).toMatch(pattern);
  for (const text of ['eur', 'Eur', 'miox', 'us', 'kc']) expect(text).not.toMatch(pattern);
});
