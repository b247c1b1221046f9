/** What an API key may be allowed to do; each operation of the contract that is open to keys needs one of them. */
export const keyScopes = ['read', 'listings:write', 'messages', 'publish', 'admin'] as const;
export type KeyScope = (typeof keyScopes)[number];
export type KeyPermission = 'read' | 'write' | 'admin';

const writingScopes: readonly KeyScope[] = ['listings:write', 'messages', 'publish'];

const scopesByPermission: Record<KeyPermission, readonly KeyScope[]> = {
  read: ['read'],
  write: ['read', ...writingScopes],
  admin: keyScopes,
};

/** The scopes of a key in their fixed order: every key reads, `admin` includes all, and a key that names none has those of its permission. */
export function scopesOf(permission: KeyPermission, named: readonly string[] | null): KeyScope[] {
  if (named === null) return [...scopesByPermission[permission]];
  if (named.includes('admin')) return [...keyScopes];
  return keyScopes.filter((scope) => scope === 'read' || named.includes(scope));
}

/** The smallest permission that includes the scopes. */
export function permissionOf(scopes: readonly KeyScope[]): KeyPermission {
  if (scopes.includes('admin')) return 'admin';
  return scopes.some((scope) => writingScopes.includes(scope)) ? 'write' : 'read';
}
