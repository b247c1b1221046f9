import type { Config } from '../kit/config.ts';
import type { Deadlines } from '../kit/deadlines.ts';
import { createDiskStorage } from './storage-disk.ts';
import type { Storage } from './storage.ts';

type StorageConfig = Pick<Config, 's3' | 'dataDir' | 'staticUrl'> & { deadlines?: Deadlines };

/** Public files: in the S3 bucket when one is configured, else under `DATA_DIR/static`; `url` is STATIC_URL/key in both. */
export async function createStorage(config: StorageConfig): Promise<Storage> {
  const publicUrl = config.staticUrl;
  if (!config.s3) return createDiskStorage({ folder: `${config.dataDir}/static`, publicUrl });
  const { createS3Storage } = await import('./storage-s3.ts');
  return createS3Storage({ ...config.s3, deadlines: config.deadlines, prefix: '', publicUrl });
}

/** Files that no public address reaches, such as backups: under `private/` in the bucket, else `DATA_DIR/private`. */
export async function createPrivateStorage(config: StorageConfig): Promise<Storage> {
  if (!config.s3) return createDiskStorage({ folder: `${config.dataDir}/private`, publicUrl: undefined });
  const { createS3Storage } = await import('./storage-s3.ts');
  return createS3Storage({ ...config.s3, deadlines: config.deadlines, prefix: 'private/', publicUrl: undefined });
}
