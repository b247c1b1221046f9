import { dictionary } from '@zxcvbn-ts/language-common';
import { invalid } from '../kit/errors.ts';
import { localPartOf, normalizeEmail, showEmail } from '../kit/email.ts';

const MIN_LENGTH = 8;
const MAX_COMMON = 3_000;

/** The most common passwords of leaked lists that are long enough to be chosen, in lower case. */
const commonPasswords = new Set(
  dictionary['passwords-common']
    .filter((password) => password.length >= MIN_LENGTH)
    .slice(0, MAX_COMMON)
    .map((password) => password.toLowerCase()),
);

/**
 * Throws a validation_error for a new password that is one of the 3,000 most common, the account's address or its local part.
 * The whole password is compared, whatever its letter case; parts of it may be anything.
 */
export function requireGoodPassword(password: string, email: string): void {
  const message = faultOf(password.normalize('NFC').toLowerCase(), normalizeEmail(email));
  if (message) throw invalid('This password would soon be guessed.', [{ path: '/body/password', message }]);
}

function faultOf(password: string, email: string): string | undefined {
  if (commonPasswords.has(password)) return 'is one of the most common passwords; choose another';
  if ([email, showEmail(email), localPartOf(email)].includes(password))
    return 'is your own email address, or the part of it before the @; choose another';
  return undefined;
}
