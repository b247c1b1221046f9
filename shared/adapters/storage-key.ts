const segment = /^[A-Za-z0-9_-][A-Za-z0-9._-]{0,199}$/;

/** True for keys of one or more plain segments (letters, digits, `.`, `_`, `-`, no leading dot), outside `private/`. */
export function isStorageKey(key: string): boolean {
  return key.length <= 500 && !key.startsWith('private/') && key.split('/').every((part) => segment.test(part));
}

/** Throws unless `isStorageKey`: a bad key is a mistake of ours, never a way out of the store's folder. */
export function assertStorageKey(key: string): void {
  if (!isStorageKey(key)) throw new Error(`'${key}' is not a storage key`);
}

/** The public address of a key, or an Error where the store has none. */
export function publicUrlOf(publicUrl: string | undefined, key: string): string {
  assertStorageKey(key);
  if (publicUrl === undefined) throw new Error('private storage has no public addresses');
  return `${publicUrl}/${key}`;
}
