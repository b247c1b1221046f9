import type { Request } from 'express';
import type { Database } from '../../db/client.ts';

/** What an operation with `x-owner` changes: a kind of thing that has an owner. */
export type Owned = string;

/** 403 when the thing of that id or slug is somebody else's; nothing when there is none. */
export type AssertOwner = (db: Database, idOrSlug: string, userId: string) => Promise<void>;

/**
 * Checks what was sent; when that is refused, a caller who may not change the thing at all is told so (403) before being told
 * what is wrong with a body that is not welcome anyway. Of requests that are in order, handlers check the owner themselves.
 */
export async function checkOwnerBeforeBody<T>(
  assertOwner: AssertOwner | undefined,
  db: Database,
  { request, caller }: { request: Request; caller: { userId: string } | undefined },
  check: () => T | Promise<T>,
): Promise<T> {
  try {
    return await check();
  } catch (error) {
    if (assertOwner && caller) await assertOwner(db, String(request.params.id), caller.userId);
    throw error;
  }
}
