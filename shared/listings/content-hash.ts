import { createHash } from 'node:crypto';

/**
 * The SHA-256 of a listing's text, equal for texts that differ only in Unicode composition, letter case or white space: what
 * a seller may have only once.
 */
export function contentHash(title: string, description: string): Buffer {
  return createHash('sha256').update(normalise(title)).update('\0').update(normalise(description)).digest();
}

function normalise(text: string): string {
  // Capitals first: ß and SS, σ and ς meet there.
  return text
    .replaceAll(/[\s\u0085\u180E\u200B\u2060]+/g, '')
    .toUpperCase()
    .toLowerCase()
    .normalize('NFC');
}
