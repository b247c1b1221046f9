import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';

type Value = string | number | boolean;

/** A span as it was received, with the name of the service that has sent it. */
export type ReceivedSpan = {
  service: string;
  traceId: string;
  spanId: string;
  parentId: string;
  name: string;
  kind: number;
  startMs: number;
  endMs: number;
  attributes: Record<string, Value>;
  links: { traceId: string; spanId: string }[];
  isError: boolean;
};

export type OtlpReceiver = {
  url: string;
  spans: ReceivedSpan[];
  /** Every body, as text of which letters can be read. */
  bodies: string[];
  headers: NodeJS.Dict<string | string[]>[];
  close(): Promise<void>;
};

/** Takes traces by OTLP over HTTP with protobuf; `answer` may do so in another way, or not at all. */
export async function startOtlp(
  answer: (response: ServerResponse) => void = (response) => void response.writeHead(200).end(),
  port = 0,
): Promise<OtlpReceiver> {
  const receiver = { spans: [] as ReceivedSpan[], bodies: [] as string[], headers: [] as OtlpReceiver['headers'] };
  const server = createServer((request, response) => {
    void take(request, response);
  });
  async function take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const sent = await buffer(request);
    if (request.url !== '/v1/traces') return void response.writeHead(404).end();
    const body = request.headers['content-encoding'] === 'gzip' ? gunzipSync(sent) : sent;
    receiver.bodies.push(body.toString('latin1'));
    receiver.headers.push(request.headers);
    receiver.spans.push(...readSpans(body));
    answer(response);
  }
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    ...receiver,
    close() {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

/** The fields of a message of Protocol Buffers by their number: integers as they are, the rest as bytes. */
function readFields(bytes: Buffer): Map<number, (bigint | Buffer)[]> {
  const fields = new Map<number, (bigint | Buffer)[]>();
  let at = 0;
  const varint = (): bigint => {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = bytes[at++]!;
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
  };
  const take = (length: number) => bytes.subarray(at, (at += length));
  while (at < bytes.length) {
    const key = Number(varint());
    const wire = key & 7;
    const value = wire === 0 ? varint() : take(wire === 2 ? Number(varint()) : wire === 1 ? 8 : 4);
    fields.set(key >> 3, [...(fields.get(key >> 3) ?? []), value]);
  }
  return fields;
}

const messages = (fields: ReturnType<typeof readFields>, number: number) =>
  (fields.get(number) ?? []).filter((value) => typeof value !== 'bigint').map((value) => readFields(value));
const bytesOf = (fields: ReturnType<typeof readFields>, number: number) =>
  (fields.get(number)?.[0] as Buffer | undefined) ?? Buffer.alloc(0);
const textOf = (fields: ReturnType<typeof readFields>, number: number) => bytesOf(fields, number).toString();
const hexOf = (fields: ReturnType<typeof readFields>, number: number) => bytesOf(fields, number).toString('hex');
const msOf = (fields: ReturnType<typeof readFields>, number: number) =>
  Number(bytesOf(fields, number).readBigUInt64LE() / 1_000n) / 1_000;

/** The spans of an ExportTraceServiceRequest (opentelemetry/proto/trace/v1/trace.proto). */
function readSpans(body: Buffer): ReceivedSpan[] {
  return messages(readFields(body), 1).flatMap((resourceSpans) => {
    const [resource] = messages(resourceSpans, 1);
    const { 'service.name': service = '' } = resource ? readAttributes(resource, 1) : {};
    return messages(resourceSpans, 2)
      .flatMap((scopeSpans) => messages(scopeSpans, 2))
      .map((span) => ({
        service: String(service),
        traceId: hexOf(span, 1),
        spanId: hexOf(span, 2),
        parentId: hexOf(span, 4),
        name: textOf(span, 5),
        kind: Number(span.get(6)?.[0] ?? 0),
        startMs: msOf(span, 7),
        endMs: msOf(span, 8),
        attributes: readAttributes(span, 9),
        links: messages(span, 13).map((link) => ({ traceId: hexOf(link, 1), spanId: hexOf(link, 2) })),
        isError: messages(span, 15).some((status) => status.get(3)?.[0] === 2n),
      }));
  });
}

function readAttributes(fields: ReturnType<typeof readFields>, number: number): Record<string, Value> {
  return Object.fromEntries(
    messages(fields, number).map((pair) => {
      const value = messages(pair, 2)[0] ?? new Map<number, (bigint | Buffer)[]>();
      const integer = value.get(3)?.[0];
      const truth = value.get(2)?.[0];
      const number = value.get(4)?.[0] as Buffer | undefined;
      const read: Value =
        integer !== undefined
          ? Number(integer)
          : truth !== undefined
            ? truth === 1n
            : number
              ? number.readDoubleLE()
              : textOf(value, 1);
      return [textOf(pair, 1), read];
    }),
  );
}
