import type { Contract, Operation } from '../http/contract.ts';

type Json = Record<string, unknown>;
type Parameter = { name: string; in: string; required?: boolean; example?: unknown; schema?: Json };
type Content = Record<string, { examples?: Record<string, Json> }>;

/** What an operation needs beyond its path, as one argument of the SDK's method. */
type Init = { params?: { path?: Json; query?: Json }; body?: unknown; parseAs?: 'text' };

/** A call of the operation by the SDK, in TypeScript; undefined where a form is sent, for which the SDK has no method. */
export function renderSdkSample({ document }: Contract, operation: Operation, base: string): string | undefined {
  if (operation.form) return operation.id === 'uploadImage' ? renderUpload(base) : undefined;
  const item = document.paths[operation.path] as Json;
  const source = item[operation.method] as Json;
  const parameters = [item.parameters, source.parameters]
    .flatMap((list) => (list as unknown[] | undefined) ?? [])
    .map((each) => resolvePointer(document, each) as Parameter)
    .filter(({ required }) => required === true);
  const valuesOf = (place: string) =>
    Object.fromEntries(
      parameters.filter((each) => each.in === place).map((each) => [each.name, each.example ?? each.schema?.example]),
    );
  const params = Object.fromEntries(
    [
      ['path', valuesOf('path')],
      ['query', valuesOf('query')],
    ].filter(([, values]) => Object.keys(values as Json).length > 0),
  ) as Init['params'];
  const body = firstExample(
    document,
    resolvePointer(document, source.requestBody) as { content?: Content } | undefined,
  );
  const answer = Object.entries(source.responses as Json).find(([status]) => status.startsWith('2'))?.[1];
  const types = Object.keys((resolvePointer(document, answer) as { content?: Content }).content ?? {});
  const isText = types.length > 0 && !types.includes('application/json');
  const init: Init = {
    ...(Object.keys(params ?? {}).length > 0 && { params }),
    ...(body !== undefined && { body }),
    ...(isText && { parseAs: 'text' as const }),
  };
  const argument = Object.keys(init).length > 0 ? `, ${renderLiteral(init)}` : '';
  return `${renderClient(base, 'createClient', operation.auth.required)}
const { data, error } = await client.${operation.method.toUpperCase()}('${operation.path}'${argument});
if (error) throw error;
console.log(data);
`;
}

const renderClient = (base: string, names: string, needsToken: boolean) => `import { ${names} } from 'quayside';

const client = createClient({ baseUrl: '${base}'${needsToken ? ", token: 'svc_…'" : ''} });`;

const renderUpload = (base: string) => `import { openAsBlob } from 'node:fs';
${renderClient(base, 'createClient, uploadFile', true)}
const image = await uploadFile(client, await openAsBlob('boat.jpg'), { name: 'boat.jpg' });
console.log(image.url);
`;

function firstExample(document: Json, body: { content?: Content } | undefined): unknown {
  const [media] = Object.values(body?.content ?? {});
  const [example] = Object.values(media?.examples ?? {});
  return (resolvePointer(document, example) as Json | undefined)?.value;
}

/** JSON as TypeScript writes it: names without quotes where they need none, and single quotes. */
function renderLiteral(value: unknown, indent = ''): string {
  if (typeof value === 'string') return quoteText(value);
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const inner = `${indent}  `;
  const [open, close] = Array.isArray(value) ? '[]' : '{}';
  const entries = Array.isArray(value)
    ? value.map((item) => renderLiteral(item, inner))
    : Object.entries(value).map(
        ([name, item]) => `${/^[A-Za-z_]\w*$/.test(name) ? name : quoteText(name)}: ${renderLiteral(item, inner)}`,
      );
  return entries.length === 0
    ? `${open}${close}`
    : `${open}\n${inner}${entries.join(`,\n${inner}`)},\n${indent}${close}`;
}

function quoteText(text: string): string {
  const quoted = JSON.stringify(text);
  return text.includes("'") ? quoted : `'${quoted.slice(1, -1).replaceAll(String.raw`\"`, '"')}'`;
}

/** Follows a local reference of the document; any other value is given back. */
function resolvePointer(document: Json, value: unknown): unknown {
  const reference = (value as Json | undefined)?.$ref;
  if (typeof reference !== 'string') return value;
  return reference
    .slice(2)
    .split('/')
    .reduce<unknown>((node, key) => (node as Json)[key], document);
}
