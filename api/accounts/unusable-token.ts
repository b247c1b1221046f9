import { invalid, type ServiceError } from '../../shared/kit/errors.ts';

/** 400 for a token of a mail that cannot be redeemed; it does not tell why. */
export function unusableToken(): ServiceError {
  return invalid('This link cannot be used.', [
    { path: '/body/token', message: 'has been used, has expired or never was one' },
  ]);
}
