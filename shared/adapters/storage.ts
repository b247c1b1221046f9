export type StoredFile = { key: string; size: number; modifiedAt: Date };

/** A file that is being stored: its pieces are written one after the other. */
export type UnfinishedFile = {
  /** Resolves when the store is ready for more. */
  write(chunk: Buffer): Promise<void>;
  /** The file is there, whole and durable, when it resolves. */
  finish(): Promise<void>;
  /** Leaves nothing behind; what was finished stays. */
  abandon(): Promise<void>;
};

/**
 * Files under keys such as `images/ab/<sha256>.webp`. Every failure of the store itself is a `service_unavailable`;
 * a put is durable when it returns, replaces what was there, and readers see the old or the new file, never a part.
 */
export type Storage = {
  /** Throws an Error for a key that `isStorageKey` refuses. */
  put(key: string, body: Buffer, meta: { contentType: string; cacheControl: string }): Promise<void>;
  get(key: string): Promise<{ body: Buffer; contentType: string } | undefined>;
  /** Begins a file of any size in bounded memory; nobody sees it before it is finished. */
  begin(key: string, meta: { contentType: string }): Promise<UnfinishedFile>;
  /** The bytes of a file of any size, in pieces, as fast as they are read. */
  read(key: string): Promise<AsyncIterable<Buffer> | undefined>;
  /** Missing keys are no error. */
  delete(keys: string[]): Promise<void>;
  exists(key: string): Promise<boolean>;
  /** Every file whose key starts with the prefix, in no particular order. */
  list(prefix: string): AsyncIterable<StoredFile>;
  /** The public address; throws for private storage, which has none. */
  url(key: string): string;
  /** True when a file could be stored now. */
  healthy(): Promise<boolean>;
};

/** For files named by their content, which never change. */
export const IMMUTABLE = 'public, max-age=31536000, immutable';
