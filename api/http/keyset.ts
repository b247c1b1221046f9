import { invalid } from '../../shared/kit/errors.ts';

/** The cursor of a place in an ordered list: what the last row of a page is ordered by, as opaque text. */
export const writeKeyset = (place: readonly (string | number)[]): string =>
  Buffer.from(JSON.stringify(place)).toString('base64url');

/** The place that a cursor stands for; a validation_error when it is none of this list's. */
export function readKeyset<const Place extends readonly (string | number)[]>(
  cursor: string,
  isPlace: (value: unknown) => value is Place,
): Place {
  const place = parse(Buffer.from(cursor, 'base64url').toString());
  if (isPlace(place)) return place;
  throw invalid('The cursor is not valid for this list.', [
    { path: '/query/cursor', message: 'must be the next_cursor of the same filters' },
  ]);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
