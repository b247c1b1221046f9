import type { FieldError } from './errors.ts';

/** No JSON of ours is nested deeper; JSON.stringify, structuredClone and jsonb all give up far later. */
const MAX_DEPTH = 32;
const reservedKeys = new Set(['__proto__', 'constructor', 'prototype']);

/**
 * What a schema cannot say about JSON: nesting of at most 32 levels, no key that names an object's prototype, no NUL
 * and no half surrogate (PostgreSQL stores neither). It answers the first fault with its JSON pointer, or undefined.
 */
export function findFault(value: unknown, path: string, depth = 0): FieldError | undefined {
  if (typeof value === 'string') return findTextFault(value, path);
  if (typeof value !== 'object' || value === null) return undefined;
  if (depth >= MAX_DEPTH) return { path: rootOf(path), message: `must not be nested deeper than ${MAX_DEPTH} levels` };
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) {
      const fault = findFault(item, `${path}/${index}`, depth + 1);
      if (fault) return fault;
    }
    return undefined;
  }
  for (const [key, item] of Object.entries(value)) {
    if (reservedKeys.has(key)) return { path, message: `must not have a key named ${key}` };
    const fault = findTextFault(key, path) ?? findFault(item, `${path}/${key}`, depth + 1);
    if (fault) return fault;
  }
  return undefined;
}

function findTextFault(text: string, path: string): FieldError | undefined {
  if (text.includes('\u0000')) return { path, message: 'must not hold a NUL character' };
  if (!text.isWellFormed()) return { path, message: 'must be well-formed Unicode' };
  return undefined;
}

/** The place a deep value hangs from; its full pointer would be as long as it is deep. */
const rootOf = (path: string) => path.split('/').slice(0, 4).join('/');
