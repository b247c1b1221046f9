import { Agent, request, type IncomingMessage } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib';
import type { Contract, Operation } from '../../api/http/contract.ts';
import type { OperationId } from '../../api/http/contract.ts';
import { encodeJson } from './arbitrary-mutation.ts';
import type { JsonSchema, SchemaContext } from './arbitrary.ts';
import type { createResponseChecker } from './response-check.ts';

type Node = Record<string, unknown>;
export type Parameter = {
  name: string;
  in: 'path' | 'query' | 'header';
  required?: boolean;
  schema: JsonSchema;
  example?: string | number | boolean;
  /** The component it is a reference to. */
  component: string | undefined;
};

/** An operation of openapi.yaml with everything that a request to it is made of, references followed. */
export type Case = {
  id: OperationId;
  operation: Operation;
  parameters: Parameter[];
  body: { schema: JsonSchema; pointer: string; examples: unknown[] } | undefined;
  /** The schema of a multipart body. */
  form: JsonSchema | undefined;
  /** The documented statuses, in order. */
  statuses: number[];
};

/** One part of a form: a file when it has bytes. */
export type FormPart = { name: string; text?: string; bytes?: Buffer; fileName?: string };

/** One request before it becomes bytes. `text` is sent instead of `body` or `form`, as it is. */
export type Parts = {
  token?: string | undefined;
  params: Record<string, string>;
  query: [name: string, value: string][];
  headers: Record<string, string>;
  body?: unknown;
  form?: FormPart[];
  text?: string | Buffer;
};
export type Wire = {
  method: string;
  path: string;
  headers: Record<string, string>;
  body?: string | Buffer | undefined;
};
export type Reply = { status: number; headers: Headers; text: string; json: Node | undefined };

/** Every operation of the contract, in its order. */
export function readCases(contract: Contract): Case[] {
  const resolve = resolver(contract);
  return contract.operations.map((operation) => {
    const item = contract.document.paths[operation.path] as Node;
    const source = item[operation.method] as Node;
    const parameters = [...((item.parameters ?? []) as Node[]), ...((source.parameters ?? []) as Node[])].map(
      (node) => ({
        ...((typeof node.$ref === 'string' ? resolve(node.$ref) : node) as unknown as Omit<Parameter, 'component'>),
        component: typeof node.$ref === 'string' ? node.$ref.split('/').at(-1) : undefined,
      }),
    );
    const content = (source.requestBody as Node | undefined)?.content as Record<string, Node> | undefined;
    const media = content?.['application/json'];
    const examples = Object.values((media?.examples ?? {}) as Record<string, Node>).map((node) =>
      typeof node.$ref === 'string' ? (resolve(node.$ref) as Node).value : node.value,
    );
    const pointer = `/paths/${escapePointer(operation.path)}/${operation.method}/requestBody/content/application~1json/schema`;
    return {
      id: operation.id,
      operation,
      parameters,
      body: media && { schema: media.schema as JsonSchema, pointer, examples },
      form: content?.['multipart/form-data']?.schema as JsonSchema | undefined,
      statuses: Object.keys(source.responses as Node).map(Number),
    };
  });
}

/** How schemas of this contract are read. */
export function schemaContext(contract: Contract, hints: SchemaContext['hints']): SchemaContext {
  return { resolve: resolver(contract), hints };
}

function resolver({ document }: Contract) {
  return (reference: string): JsonSchema => {
    const found = reference
      .slice(2)
      .split('/')
      .reduce<unknown>((node, key) => (node as Node | undefined)?.[key], document);
    if (!found) throw new Error(`openapi.yaml: ${reference} does not exist`);
    return found;
  };
}

/** Which codes the contract's own table allows with a status. */
export function readErrorCodes({ document }: Contract): Map<number, Set<string>> {
  const { schemas } = document.components as { schemas: Record<string, { description: string }> };
  const rows = [...(schemas.ErrorCode?.description ?? '').matchAll(/^\| (\d{3}) \| `(\w+)` \|/gm)];
  const codes = new Map<number, Set<string>>();
  for (const [, status, code] of rows)
    codes.set(Number(status), (codes.get(Number(status)) ?? new Set()).add(code ?? ''));
  return codes;
}

/** The bytes-to-be of a request: parameters percent-encoded as UTF-8 (half surrogates too), the body as JSON. */
export function toWire({ operation }: Case, parts: Parts): Wire {
  const path = operation.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeText(parts.params[name] ?? 'x'));
  const query = parts.query.map(([name, value]) => `${encodeText(name)}=${encodeText(value)}`).join('&');
  const encoded = parts.form ? encodeForm(parts.form) : parts.body === undefined ? undefined : encodeJson(parts.body);
  const body = parts.text ?? encoded;
  return {
    method: operation.method.toUpperCase(),
    path: query ? `${path}?${query}` : path,
    headers: {
      ...(parts.token !== undefined && { Authorization: `Bearer ${parts.token}` }),
      ...(body !== undefined && { 'Content-Type': parts.form ? FORM_TYPE : 'application/json' }),
      ...parts.headers,
    },
    body,
  };
}

const BOUNDARY = 'a-boundary-that-no-test-data-holds';
const FORM_TYPE = `multipart/form-data; boundary=${BOUNDARY}`;

/** A form as bytes; names are escaped as browsers do, and half surrogates become what UTF-8 makes of them. */
export function encodeForm(parts: readonly FormPart[]): Buffer {
  const escape = (text: string) =>
    text.replaceAll(
      /["\r\n]/g,
      (character) => `%${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`,
    );
  const encoded = parts.map(({ name, text = '', bytes, fileName = 'photo.png' }) => {
    const file = bytes ? `; filename="${escape(fileName)}"\r\nContent-Type: image/png` : '';
    return [
      `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${escape(name)}"${file}\r\n\r\n`,
      bytes ?? text,
      '\r\n',
    ];
  });
  return Buffer.concat([...encoded.flat(), `--${BOUNDARY}--\r\n`].map((piece) => Buffer.from(piece)));
}

/** Percent-encodes like a careless client: dots and letters stay, a half surrogate becomes the bytes it would have. */
export function encodeText(text: string): string {
  return text
    .replaceAll(/[\ud800-\udfff]/gu, (half) => `\ue001${half.charCodeAt(0).toString(16)}`)
    .replaceAll(/\P{ASCII}|[^\w.~()*-]/gu, (character) => encodeURIComponent(character))
    .replaceAll(/%EE%80%81([\da-f]{4})/g, (_, hex: string) => {
      const code = Number.parseInt(hex, 16);
      return [0xe0 | (code >> 12), 0x80 | ((code >> 6) & 0x3f), 0x80 | (code & 0x3f)]
        .map((byte) => `%${byte.toString(16)}`)
        .join('');
    });
}

/** True when HTTP can carry the text as a header's value. */
export function fitsHeader(text: string): boolean {
  return /^[\t\x20-\x7e]*$/.test(text);
}

/** Sends requests as they are (no path is normalised) and holds every answer against the contract. */
export function createSender(url: string, check?: ReturnType<typeof createResponseChecker>) {
  const agent = new Agent({ keepAlive: true, maxSockets: 8 });
  const { hostname, port } = new URL(url);
  return async ({ method, path, headers, body }: Wire): Promise<Reply> => {
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      const length = body === undefined ? {} : { 'Content-Length': String(Buffer.byteLength(body)) };
      const sent = request({ hostname, port, agent, method, path, headers: { ...length, ...headers } }, resolve);
      sent.on('error', reject);
      sent.end(body);
    });
    const reply = await readReply(response);
    check?.({ method, path, status: reply.status, headers: reply.headers, text: reply.text });
    return reply;
  };
}

async function readReply(response: IncomingMessage): Promise<Reply> {
  const headers = new Headers(Object.entries(response.headers).map(([name, value]) => [name, String(value)]));
  const isStream = headers.get('content-type')?.startsWith('text/event-stream');
  const bytes = isStream ? await readFirst(response) : await buffer(response);
  const decode = decoders[headers.get('content-encoding') ?? 'identity'];
  if (!decode) throw new Error(`the content encoding ${headers.get('content-encoding')}`);
  const text = (bytes.length > 0 ? decode(bytes) : bytes).toString('utf8');
  const isJson = headers.get('content-type')?.includes('json') && text !== '';
  return { status: response.statusCode ?? 0, headers, text, json: isJson ? (JSON.parse(text) as Node) : undefined };
}

/** The beginning of a body that may never end. */
async function readFirst(response: IncomingMessage): Promise<Buffer> {
  for await (const chunk of response) return chunk as Buffer;
  return Buffer.alloc(0);
}

const decoders: Record<string, (bytes: Buffer) => Buffer> = {
  identity: (bytes) => bytes,
  gzip: gunzipSync,
  deflate: inflateSync,
  br: brotliDecompressSync,
};

export type Send = ReturnType<typeof createSender>;

const escapePointer = (text: string) => encodeURIComponent(text.replaceAll('~', '~0').replaceAll('/', '~1'));
