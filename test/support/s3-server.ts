import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import S3rver from 's3rver';
import type { Config } from '../../shared/kit/config.ts';

export type S3ServerStub = { config: NonNullable<Config['s3']>; close(): Promise<void> };

/** A server of the S3 protocol on 127.0.0.1 with one empty bucket, kept in a temporary folder until it is closed. */
export async function startS3(): Promise<S3ServerStub> {
  const directory = await mkdtemp(join(tmpdir(), 'quayside-s3-'));
  const bucket = 'pictures';
  const server = new S3rver({
    address: '127.0.0.1',
    port: 0,
    silent: true,
    directory,
    configureBuckets: [{ name: bucket }],
  });
  const { port } = await server.run();
  return {
    config: {
      bucket,
      endpoint: `http://127.0.0.1:${port}`,
      region: 'us-east-1',
      credentials: { accessKeyId: 'S3RVER', secretAccessKey: 'S3RVER' },
      forcePathStyle: true,
    },
    async close() {
      server.httpServer.closeAllConnections();
      await server.close();
      await rm(directory, { recursive: true, force: true });
    },
  };
}
