import { invalid } from '../kit/errors.ts';
import { localPartOf, normalizeEmail, showEmail } from '../kit/email.ts';

const MIN_LENGTH = 8;
const MAX_COMMON = 3_000;

let commonPasswords: Promise<Set<string>> | undefined;

/** The most common passwords of leaked lists that are long enough to be chosen, in lower case; loaded for the first new password. */
async function loadCommonPasswords(): Promise<Set<string>> {
  const { dictionary } = await import('@zxcvbn-ts/language-common');
  const common = dictionary['passwords-common']
    .filter((password) => password.length >= MIN_LENGTH)
    .slice(0, MAX_COMMON);
  return new Set(common.map((password) => password.toLowerCase()));
}

/**
 * Throws a validation_error for a new password that is one of the 3,000 most common, the account's address or its local part.
 * The whole password is compared, whatever its letter case; parts of it may be anything.
 */
export async function assertPasswordStrength(password: string, email: string, path = '/body/password'): Promise<void> {
  const common = await (commonPasswords ??= loadCommonPasswords());
  const message = faultOf(common, password.normalize('NFC').toLowerCase(), normalizeEmail(email));
  if (message) throw invalid('This password would soon be guessed.', [{ path, message, reason: 'guessable' }]);
}

function faultOf(common: Set<string>, password: string, email: string): string | undefined {
  if (common.has(password)) return 'is one of the most common passwords; choose another';
  if ([email, showEmail(email), localPartOf(email)].includes(password))
    return 'is your own email address, or the part of it before the @; choose another';
  return undefined;
}
