import { once } from 'node:events';
import { Readable } from 'node:stream';
import type { Client, Connection } from 'pg';

type CopyConnection = Connection & {
  sendCopyFromChunk(chunk: Buffer): void;
  endCopyFrom(): void;
  sendCopyFail(message: string): void;
};

const bufferBytes = 256 * 1024;

/** Streams what `COPY … TO STDOUT` sends, as fast as it is read; a reader that stops early costs the connection. */
export function copyOut(client: Client, sql: string): Readable {
  let connection: Connection | undefined;
  let complete = false;
  const rows = new Readable({
    highWaterMark: bufferBytes,
    read() {
      connection?.stream.resume();
    },
    destroy(error, callback) {
      if (!complete) connection?.stream.destroy();
      callback(error);
    },
  });
  client.query({
    submit(active: Connection) {
      connection = active;
      active.query(sql);
    },
    handleCopyData({ chunk }: { chunk: Buffer }) {
      // The parser reuses the memory of the chunk.
      if (!rows.push(Buffer.from(chunk))) connection?.stream.pause();
    },
    handleCommandComplete() {
      complete = true;
    },
    handleReadyForQuery() {
      rows.push(null);
    },
    handleError(error: Error) {
      complete = true;
      rows.destroy(error);
    },
  });
  return rows;
}

/** Feeds `COPY … FROM STDIN` with `source`, as fast as the server takes it; rejects when either side fails. */
export function copyIn(client: Client, sql: string, source: AsyncIterable<Buffer>): Promise<void> {
  const stopped = new AbortController();
  let sourceError: Error | undefined;

  async function pump(connection: CopyConnection): Promise<void> {
    try {
      for await (const chunk of source) {
        connection.sendCopyFromChunk(chunk);
        if (connection.stream.writableNeedDrain) await once(connection.stream, 'drain', { signal: stopped.signal });
        if (stopped.signal.aborted) return;
      }
      connection.endCopyFrom();
    } catch (error) {
      if (stopped.signal.aborted) return;
      sourceError = error instanceof Error ? error : new Error(String(error));
      connection.sendCopyFail('the source failed');
    }
  }

  return new Promise((resolve, reject) => {
    client.query({
      submit(connection: Connection) {
        connection.query(sql);
      },
      handleCopyInResponse(connection: CopyConnection) {
        void pump(connection);
      },
      handleCommandComplete() {},
      handleReadyForQuery() {
        resolve();
      },
      handleError(error: Error) {
        stopped.abort();
        reject(sourceError ?? error);
      },
    });
  });
}
