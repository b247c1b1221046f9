import { nextTurn } from '../../shared/kit/turns.ts';

const SLICE_BYTES = 262_144;
const [QUOTE, BACKSLASH, COMMA, OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT, BLANK] = Buffer.from('"\\,[]{} ');

/** What a JSON text holds: `entries` are its keys and list items at all depths, `records` those of the lists in its root. */
export type JsonEntries = { entries: number; records: number };

/**
 * Counts the keys and list items of a JSON text without parsing it, in slices between which other requests go on. It stops
 * when there are more than `limit` entries.
 */
export async function countEntries(json: Buffer, limit: number): Promise<JsonEntries> {
  const count = createCounter();
  for (let start = 0; start < json.length && count.entries <= limit; start += SLICE_BYTES) {
    if (start > 0) await nextTurn();
    count.scan(json.subarray(start, start + SLICE_BYTES), limit);
  }
  return count;
}

/** An entry follows every comma, and every opening bracket that is not closed at once. */
function createCounter() {
  let depth = 0;
  let isText = false;
  let isEscaped = false;
  let isJustOpened = false;
  return {
    entries: 0,
    records: 0,
    scan(bytes: Buffer, limit: number): void {
      for (const byte of bytes) {
        if (isText) {
          if (isEscaped) isEscaped = false;
          else if (byte === BACKSLASH) isEscaped = true;
          else if (byte === QUOTE) isText = false;
          continue;
        }
        // Nothing but white space has smaller codes.
        if (byte <= BLANK!) continue;
        const isClosing = byte === CLOSE_LIST || byte === CLOSE_OBJECT;
        if (byte === COMMA || (isJustOpened && !isClosing)) {
          this.entries += 1;
          if (depth === 2) this.records += 1;
          if (this.entries > limit) return;
        }
        isJustOpened = byte === OPEN_LIST || byte === OPEN_OBJECT;
        if (isJustOpened) depth += 1;
        else if (isClosing) depth -= 1;
        else if (byte === QUOTE) isText = true;
      }
    },
  };
}
