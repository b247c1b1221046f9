import { Router } from 'express';
import { notFound, ServiceError } from '../../shared/kit/errors.ts';
import type { Storage } from '../../shared/adapters/storage.ts';

const key = /^images\/[0-9a-f]{2}\/[0-9a-f]{64}(?:-thumb)?\.webp$/;

/** Serves stored images under /static, whatever they are stored on. Their name is the hash of their content: they never change. */
export function serveStoredFiles(storage: Storage): Router {
  const router = Router();
  router.use(async (request, response) => {
    response.locals.operation = 'static';
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      throw new ServiceError('method_not_allowed', 'Images can only be read.', { headers: { Allow: 'GET, HEAD' } });
    }
    const name = request.path.slice(1);
    const file = key.test(name) ? await storage.get(name) : undefined;
    if (!file) throw notFound('file', name);
    response.set({
      'Content-Type': file.contentType,
      'Content-Length': String(file.body.length),
      'Cache-Control': 'public, max-age=31536000, immutable',
      'X-Content-Type-Options': 'nosniff',
    });
    response.end(file.body);
  });
  return router;
}
