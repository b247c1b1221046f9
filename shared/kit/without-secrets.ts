const secretName = /password|secret|token|authorization|api_?key$|^code$|^totp$/i;
const userinfo = /(?<=^[a-z][a-z0-9+.-]{0,20}:\/\/)[^/?#@]*@/i;

const REMOVED = '[removed]';

/** A copy of a JSON value in which what a name or the user part of a URL marks as secret is taken out. */
export function withoutSecrets(value: unknown): unknown {
  if (typeof value === 'string') return value.replace(userinfo, `${REMOVED}@`);
  if (Array.isArray(value)) return value.map(withoutSecrets);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, held]) => [name, secretName.test(name) ? REMOVED : withoutSecrets(held)]),
  );
}
