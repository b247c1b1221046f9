import type { Request } from 'express';
import { badRequest, invalid } from '../../shared/kit/errors.ts';
import { findFault } from '../../shared/kit/json-faults.ts';

/** Refuses a query that cannot be decoded (400 bad_request) or that holds what cannot be stored (400 validation_error). */
export function checkQuery(originalUrl: string, query: Request['query']): void {
  const at = originalUrl.indexOf('?');
  const text = at < 0 ? '' : originalUrl.slice(at + 1);
  if (text.includes('%')) {
    try {
      decodeURIComponent(text.replaceAll('+', ' '));
    } catch {
      throw badRequest('The query string is not valid percent-encoded UTF-8.');
    }
  }
  const fault = findFault(query, '/query');
  if (fault) throw invalid('The query holds a value that cannot be read.', [fault]);
}
