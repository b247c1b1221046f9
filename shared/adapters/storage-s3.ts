import {
  DeleteObjectCommand,
  GetObjectCommand,
  HeadBucketCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3';
import { SpanKind } from '@opentelemetry/api';
import type { Config } from '../kit/config.ts';
import { deadlinesOf, type Deadlines } from '../kit/deadlines.ts';
import { unavailable } from '../kit/errors.ts';
import { inSpan, serverOf } from '../kit/tracing.ts';
import { beginUpload, readRanges } from './storage-s3-pieces.ts';
import { assertStorageKey, isStorageKey, publicUrlOf } from './storage-key.ts';
import type { Storage } from './storage.ts';

type S3Options = NonNullable<Config['s3']> & {
  /** Put before every key; empty or ending with a slash. */
  prefix: string;
  publicUrl: string | undefined;
  deadlines?: Deadlines | undefined;
};

const DELETES_AT_ONCE = 8;
const BYTES_PER_SECOND = 1_000_000;

/** A Storage in an S3 (or compatible) bucket that exists already. */
export function createS3Storage(options: S3Options): Storage {
  const { bucket: Bucket, prefix, publicUrl, deadlines = deadlinesOf() } = options;
  const requestTimeoutMs = deadlines.s3Request;
  const client = new S3Client({
    endpoint: options.endpoint,
    region: options.region,
    credentials: options.credentials,
    forcePathStyle: options.forcePathStyle,
    maxAttempts: 3,
    // The SDK's own checksums break uploads to servers that only speak S3.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    requestHandler: {
      connectionTimeout: deadlines.s3Connection,
      requestTimeout: requestTimeoutMs,
      socketTimeout: requestTimeoutMs,
      throwOnRequestTimeout: true,
    },
  });
  traceCommands(client, options.endpoint);
  const place = (key: string) => ({ Bucket, Key: prefix + key });
  const remove = (key: string) => guarded(client.send(new DeleteObjectCommand(place(key))));

  return {
    async put(key, body, { contentType, cacheControl }) {
      assertStorageKey(key);
      const requestTimeout = requestTimeoutMs + (body.length / BYTES_PER_SECOND) * 1_000;
      const input = { ...place(key), Body: body, ContentType: contentType, CacheControl: cacheControl };
      await guarded(client.send(new PutObjectCommand(input), { requestTimeout }));
    },

    async get(key) {
      if (!isStorageKey(key)) return undefined;
      const found = await guarded(client.send(new GetObjectCommand(place(key))).catch(undefinedIfMissing));
      if (!found?.Body) return undefined;
      const body = Buffer.from(await guarded(found.Body.transformToByteArray()));
      return { body, contentType: found.ContentType ?? 'application/octet-stream' };
    },

    async begin(key, { contentType }) {
      assertStorageKey(key);
      return beginUpload(
        {
          client,
          place: place(key),
          contentType,
          requestTimeoutOf: (bytes) => requestTimeoutMs + (bytes / BYTES_PER_SECOND) * 1_000,
        },
        guarded,
      );
    },

    async read(key) {
      if (!isStorageKey(key)) return undefined;
      const found = await guarded(client.send(new HeadObjectCommand(place(key))).catch(undefinedIfMissing));
      return (
        found && readRanges({ client, place: place(key), size: found.ContentLength ?? 0, etag: found.ETag }, guarded)
      );
    },

    async delete(keys) {
      // One request per key: the bulk request needs checksums that compatible servers disagree on.
      const left = keys.filter(isStorageKey);
      while (left.length > 0) await Promise.all(left.splice(0, DELETES_AT_ONCE).map(remove));
    },

    async exists(key) {
      if (!isStorageKey(key)) return false;
      return (await guarded(client.send(new HeadObjectCommand(place(key))).catch(undefinedIfMissing))) !== undefined;
    },

    async *list(start) {
      let token: string | undefined;
      do {
        const page = await guarded(
          client.send(new ListObjectsV2Command({ Bucket, Prefix: prefix + start, ContinuationToken: token })),
        );
        for (const { Key = '', Size = 0, LastModified = new Date(0) } of page.Contents ?? []) {
          const key = Key.slice(prefix.length);
          if (isStorageKey(key)) yield { key, size: Size, modifiedAt: LastModified };
        }
        token = page.NextContinuationToken;
      } while (token);
    },

    url: (key) => publicUrlOf(publicUrl, key),

    async healthy() {
      return client
        .send(new HeadBucketCommand({ Bucket }), { requestTimeout: Math.min(requestTimeoutMs, deadlines.s3Health) })
        .then(
          () => true,
          () => false,
        );
    },
  };
}

/** Makes each command a span, named as the semantic conventions name calls of AWS; the key of an object is not told. */
function traceCommands(client: S3Client, endpoint: string | undefined): void {
  client.middlewareStack.add(
    (next, { commandName = 'Command' }) =>
      (command) => {
        const method = commandName.replace(/Command$/, '');
        const attributes = { 'rpc.system': 'aws-api', 'rpc.service': 'S3', 'rpc.method': method };
        const server = endpoint === undefined ? {} : serverOf(endpoint);
        return inSpan(`S3/${method}`, { kind: SpanKind.CLIENT, attributes: { ...attributes, ...server } }, () =>
          next(command),
        );
      },
    { step: 'initialize', name: 'trace' },
  );
}

function undefinedIfMissing(error: unknown): undefined {
  if (error instanceof Error && (error.name === 'NoSuchKey' || error.name === 'NotFound')) return undefined;
  throw error;
}

async function guarded<T>(work: Promise<T>): Promise<T> {
  return work.catch((error: unknown) => {
    throw unavailable('The file storage is unavailable.', error);
  });
}
