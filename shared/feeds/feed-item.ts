import type { FeedNode } from './paths.ts';

/** Thrown when a feed is not what it should be, or ends before it is complete; its message is for admins. */
export class FeedBroken extends Error {}

/** An item that was found, or why one could not be read. */
export type FeedItem = { node: FeedNode } | { problem: string };

/** An item of more characters is not read, and costs no memory beyond that. */
export const MAX_ITEM_CHARS = 4_194_304;
/** So many characters without the end of an item are no feed, or one whose items are elsewhere. */
export const MAX_CHARS_WITHOUT_ITEM = 8_388_608;

/** A push parser: it is fed texts and hands on items; `end` throws FeedBroken when the document is not complete. */
export type FeedParser = { write(text: string): void; end(): void };
