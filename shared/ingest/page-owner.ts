/** The owner of what scrapers and administrators ingest, all of them together; every member is an owner of their own. */
export const MARKETPLACE = 'marketplace';

/** Whose record of a page an account writes: a page is known once for each owner, whoever else ingests it. */
export function pageOwnerOf({ userId, role }: { userId: string; role: string }): string {
  return role === 'admin' ? MARKETPLACE : userId;
}
