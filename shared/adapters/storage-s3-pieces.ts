import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  GetObjectCommand,
  UploadPartCommand,
  type CompletedPart,
  type S3Client,
} from '@aws-sdk/client-s3';
import type { UnfinishedFile } from './storage.ts';

type Place = { Bucket: string; Key: string };
type Guard = <T>(work: Promise<T>) => Promise<T>;
type Upload = {
  client: S3Client;
  place: Place;
  contentType: string;
  requestTimeoutOf: (bytes: number) => number;
};

/** S3 takes at most 10,000 parts of at least 5 MB: with this size files of up to 80 GB. */
const PART_BYTES = 8 * 1024 * 1024;

/** A multipart upload: at most one part is in memory, and each is sent anew when sending it fails. */
export async function beginUpload(
  { client, place, contentType, requestTimeoutOf }: Upload,
  guarded: Guard,
): Promise<UnfinishedFile> {
  const begun = await guarded(client.send(new CreateMultipartUploadCommand({ ...place, ContentType: contentType })));
  const upload = { ...place, UploadId: begun.UploadId };
  const parts: CompletedPart[] = [];
  let waiting: Buffer[] = [];
  let waitingBytes = 0;
  let finished = false;

  async function sendPart(): Promise<void> {
    const Body = Buffer.concat(waiting);
    waiting = [];
    waitingBytes = 0;
    const PartNumber = parts.length + 1;
    const requestTimeout = requestTimeoutOf(Body.length);
    const sent = client.send(new UploadPartCommand({ ...upload, PartNumber, Body }), { requestTimeout });
    parts.push({ PartNumber, ETag: (await guarded(sent)).ETag });
  }

  return {
    async write(chunk) {
      waiting.push(chunk);
      waitingBytes += chunk.length;
      if (waitingBytes >= PART_BYTES) await sendPart();
    },
    async finish() {
      if (waitingBytes > 0 || parts.length === 0) await sendPart();
      const complete = new CompleteMultipartUploadCommand({ ...upload, MultipartUpload: { Parts: parts } });
      await guarded(client.send(complete));
      finished = true;
    },
    async abandon() {
      if (!finished) await guarded(client.send(new AbortMultipartUploadCommand(upload)));
    },
  };
}

/**
 * Reads range by range, because a reader that pauses for long would lose one long answer; a file that was replaced in
 * between ends in an error.
 */
export async function* readRanges(
  { client, place, size, etag }: { client: S3Client; place: Place; size: number; etag: string | undefined },
  guarded: Guard,
): AsyncGenerator<Buffer> {
  for (let from = 0; from < size; from += PART_BYTES) {
    const Range = `bytes=${from}-${Math.min(size, from + PART_BYTES) - 1}`;
    const range = await guarded(client.send(new GetObjectCommand({ ...place, Range, IfMatch: etag })));
    if (range.Body) yield Buffer.from(await guarded(range.Body.transformToByteArray()));
  }
}
