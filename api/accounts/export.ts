import { inTransaction } from '../../db/client.ts';
import { createPrivateStorage } from '../../shared/adapters/create-storage.ts';
import { notFound } from '../../shared/kit/errors.ts';
import { readExportToken, signExport } from '../../shared/leaving/export-file.ts';
import { findExport, openExport, returnExport, takeExport } from '../../shared/leaving/export.ts';
import type { AuthenticatedHandler, Handler } from '../handler.ts';
import type { Services } from '../services.ts';

/** Has an archive made of all that is held of the caller. */
export const requestExport: AuthenticatedHandler<'requestExport'> = async ({ db, jobs, clock, config }, { caller }) => {
  const limits = { now: clock.now(), multiplier: config.rateLimitMultiplier };
  const { id, jobId } = await inTransaction(db, (tx) => openExport(tx, jobs, caller.userId, limits));
  return { status: 202, body: { export_id: id, job_id: jobId, status: 'preparing' } };
};

/** The last archive that the caller has asked for, with the address that fetches it while that can be done. */
export const getExport: AuthenticatedHandler<'getExport'> = async ({ db, clock, config }, { caller }) => {
  const last = await findExport(db, caller.userId, clock.now());
  if (!last) return { status: 200, body: { export: null } };
  const { created_at: createdAt, expires_at: expiresAt, ...facts } = last;
  const url =
    last.status === 'ready' ? `${config.baseUrl}/api/exports/${signExport(config.jwtSecrets, last.id)}` : null;
  const times = { created_at: createdAt.toISOString(), expires_at: expiresAt?.toISOString() ?? null };
  return { status: 200, body: { export: { ...facts, ...times, url } } };
};

/** The archive of a token, once; a download that breaks off gives it back. 404 for any other token. */
export const downloadExport: Handler<'downloadExport'> = async ({ db, clock, config, log }, { params }) => {
  const id = readExportToken(config.jwtSecrets, params.token);
  const key = id === undefined ? undefined : await takeExport(db, id, clock.now());
  if (id === undefined || key === undefined) throw notFound('archive', params.token);
  let isWhole = false;
  const file = await openArchive(config, key).catch(async (error: unknown) => {
    await returnExport(db, id);
    throw error;
  });
  if (!file) throw notFound('archive', params.token);
  return {
    status: 200,
    body: {
      type: 'application/json; charset=utf-8',
      chunks: async function* () {
        const decoder = new TextDecoder();
        for await (const piece of file) yield decoder.decode(piece, { stream: true });
        isWhole = true;
      },
      close() {
        if (isWhole) return;
        returnExport(db, id).catch((error: unknown) => log.warn({ err: error }, 'an archive could not be given back'));
      },
    },
    headers: {
      'Content-Disposition': `attachment; filename="export-${id.slice(-8).toLowerCase()}.json"`,
      'Cache-Control': 'no-store',
    },
  };
};

async function openArchive(config: Services['config'], key: string) {
  const storage = await createPrivateStorage(config);
  return storage.read(key);
}
