import { createHmac, timingSafeEqual } from 'node:crypto';

/** Where the archives of a person are in the private storage. */
export const exportsOf = (userId: string) => `exports/${userId}/`;
export const exportKeyOf = (userId: string, exportId: string) => `${exportsOf(userId)}${exportId}.json`;

const shape = /^(?<id>exp_[0-9A-HJKMNP-TV-Z]{26})-(?<seal>[\w-]{43})$/;

/** The token that fetches an archive: it needs no row of its own, and holds as long as its secret is in use. */
export function signExport([secret]: readonly string[], exportId: string): string {
  if (secret === undefined) throw new Error('a secret is needed');
  return `${exportId}-${sealOf(secret, exportId).toString('base64url')}`;
}

/** The archive that a genuine token is for; undefined for anything else. Every secret in rotation is tried. */
export function readExportToken(secrets: readonly string[], token: string): string | undefined {
  const { id, seal } = shape.exec(token)?.groups ?? {};
  if (id === undefined || seal === undefined) return undefined;
  const given = Buffer.from(seal, 'base64url');
  return secrets.some((secret) => timingSafeEqual(given, sealOf(secret, id))) ? id : undefined;
}

const sealOf = (secret: string, id: string) => createHmac('sha256', secret).update(`export:${id}`).digest();
