import type { Contract, Deprecation, Operation } from '../http/contract.ts';
import type { Services } from '../services.ts';
import { refName, renderShape, ruleText, typeText, type Schema } from './schema-markdown.ts';

/** What the reference is made of. */
type Source = Pick<Services, 'contract' | 'slices'>;
type Json = Record<string, unknown>;
type Content = Record<string, { schema?: Schema; examples?: Record<string, Json> }>;
type Answer = { description?: string; content?: Content };

/** How many characters the tables of what a body refers to may have together; further shapes are in the slice. */
const MAX_NESTED = 6_000;
const MAX_EXAMPLE = 2_000;

/** The reference of one operation as Markdown: what it does, parameters, body, an example of an answer, errors, a curl line. */
export function renderOperation({ contract, slices }: Source, operation: Operation, base: string): string {
  const { paths } = contract.document;
  const item = paths[operation.path] as Json;
  const source = item[operation.method] as Json;
  const { summary, description = '' } = source as { summary: string; description?: string };
  const resolve = <T>(value: unknown) => resolveReference(contract, value) as T;
  const parameters = [item.parameters, source.parameters]
    .flatMap((list) => ((list as Json[] | undefined) ?? []).map((each) => resolve<Json>(each)))
    .filter(({ name }) => name !== 'Idempotency-Key');
  const content = resolve<{ content?: Content } | undefined>(source.requestBody)?.content;
  const responses = Object.entries(source.responses as Json).map(([status, each]) => ({
    status,
    answer: { ...resolve<Answer>(each), ...(each as Answer) },
  }));
  const slice = slices().find(({ operations }) => operations.includes(operation.id))!;
  const sections = [
    `# ${operation.id}`,
    `\`${operation.method.toUpperCase()} ${operation.path}\`: ${summary}`,
    `${accessText(operation)} Schema: [${slice.name}.json](${base}/api/openapi/${slice.name}.json).`,
    ...operation.deprecations.map(deprecationText),
    description.trim(),
    ...(parameters.length > 0 ? ['## Parameters', renderParameters(parameters)] : []),
    ...(content ? ['## Body', renderBody(contract, content, operation)] : []),
    '## Answers',
    ...responses
      .filter(({ status }) => status.startsWith('2'))
      .flatMap(({ status, answer }) => renderAnswer(contract, status, answer)),
    '## Errors',
    responses
      .filter(({ status }) => !/^[23]/.test(status))
      .map(({ status, answer }) => `- ${status}: ${oneLine(answer.description ?? '')}`)
      .join('\n') || 'None of its own.',
    '## Try it',
    fence('sh', curlOf(contract, operation, parameters, content, base)),
  ];
  return linkReferences(sections.filter((section) => section !== '').join('\n\n'), base).concat('\n');
}

/** The index of the reference as Markdown: each tag with its slices, each operation in a line. */
export function renderReferenceIndex({ contract, slices }: Source, base: string): string {
  const tags = contract.document.tags as { name: string; description: string }[];
  const slicesByTag = Map.groupBy(slices(), ({ tag }) => tag);
  const sections = tags.map(({ name, description }) => {
    const own = contract.operations.filter(({ tag }) => tag === name);
    return [
      `## ${name}`,
      `${oneLine(description)} OpenAPI: ${(slicesByTag.get(name) ?? []).map((slice) => `[${slice.name}.json](openapi/${slice.name}.json)`).join(', ')}`,
      own.map((each) => indexLine(contract, each)).join('\n'),
    ].join('\n\n');
  });
  return [`# Reference of ${base}/api`, 'One page for each operation.', ...sections].join('\n\n').concat('\n');
}

function indexLine({ document }: Contract, { id, method, path }: Operation): string {
  const { summary } = (document.paths[path] as Record<string, Json>)[method]!;
  return `- [${id}](reference/${id}.md) \`${method.toUpperCase()} ${path}\`: ${String(summary)}`;
}

const sessionsOf = { moderator: 'a moderator or an administrator', admin: 'an administrator' };

function accessText({ auth, leastRole, rateClass, idempotent }: Operation): string {
  const key = auth.keyScope ? `an API key with the scope \`${auth.keyScope}\`` : undefined;
  const who = leastRole ? `the session of ${sessionsOf[leastRole]}` : 'a session';
  const needs = auth.required ? `Needs ${[who, ...(key ? [key] : [])].join(' or ')}.` : 'Open to everybody.';
  return [
    needs,
    `Budget: \`${rateClass}\`.`,
    ...(idempotent ? ['Send an `Idempotency-Key` (a new UUID) and repeat it with the same one: it is done once.'] : []),
  ].join(' ');
}

const deprecationText = ({ parameter, sunset, replacedBy }: Deprecation) =>
  `${parameter === undefined ? 'Ends' : `\`${parameter}\` ends`} on ${sunset.toISOString().slice(0, 10)}: use [${replacedBy}](#/operations/${replacedBy}).`;

function renderParameters(parameters: Json[]): string {
  const rows = parameters.map(({ name, in: place, required, schema, description }) => {
    const rules = ruleText({ ...(schema as Schema), description });
    return `| ${String(name)} | ${String(place)} | ${typeText(schema as Schema)} | ${required === true ? 'yes' : 'no'} | ${rules} |`;
  });
  return ['| Name | In | Type | Required | Rules |', '|---|---|---|---|---|', ...rows].join('\n');
}

function renderBody(contract: Contract, content: Content, { bodyRequired }: Operation): string {
  const [[type, { schema = {} }]] = Object.entries(content) as [[string, Content[string]]];
  const [own, ...nested] = collectShapes(contract, schema);
  let left = MAX_NESTED;
  const tables = nested.flatMap(([name, shape]) => {
    const table = renderShape(name, shape, '###');
    left -= table.length;
    return left < 0 ? [] : [table.trim()];
  });
  return [
    `\`${type}\`${bodyRequired ? '' : ', optional'}`,
    renderShape(own![0], own![1], '###').trim(),
    ...tables,
  ].join('\n\n');
}

/** The shape of a schema and of all that it refers to, nearest first. */
function collectShapes({ document }: Contract, schema: Schema): [string, Schema][] {
  const { schemas } = document.components as { schemas: Record<string, Schema> };
  const name = typeof schema.$ref === 'string' ? refName(schema.$ref) : 'Fields';
  const found = new Map([[name, schemas[name] ?? schema]]);
  for (const shape of found.values()) {
    for (const [, next = ''] of JSON.stringify(shape).matchAll(/#\/components\/schemas\/(\w+)/g)) {
      if (schemas[next]) found.set(next, schemas[next]);
    }
  }
  return [...found];
}

function renderAnswer(contract: Contract, status: string, { description = '', content = {} }: Answer): string[] {
  const [type, media] = Object.entries(content)[0] ?? [];
  const example = shortestExample(contract, media);
  const schema = media?.schema?.$ref === undefined ? '' : ` ${typeText(media.schema)}`;
  const line = `- ${status}: ${oneLine(description)}${type ? ` \`${type}\`${schema}` : ''}`;
  if (example === undefined) return [line];
  const text = typeof example === 'string' ? example : JSON.stringify(shorten(example));
  const shown = text.length > MAX_EXAMPLE ? `${text.slice(0, MAX_EXAMPLE).toWellFormed()}…` : text;
  return [line, fence(typeof example === 'string' ? '' : 'json', shown.trim())];
}

/** The shortest example of a media type; undefined where there is none. */
function shortestExample(contract: Contract, media: Content[string] | undefined): unknown {
  const values = Object.values(media?.examples ?? {}).map(
    (example) => (resolveReference(contract, example) as Json).value,
  );
  return values.toSorted((a, b) => JSON.stringify(a).length - JSON.stringify(b).length)[0];
}

/** The same with lists of objects cut to their first entry. */
function shorten(value: unknown): unknown {
  if (Array.isArray(value)) return (typeof value[0] === 'object' ? value.slice(0, 1) : value).map(shorten);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, shorten(inner)]));
}

function curlOf(
  contract: Contract,
  operation: Operation,
  parameters: Json[],
  content: Content | undefined,
  base: string,
): string {
  const [type, media] = Object.entries(content ?? {})[0] ?? [];
  const path = operation.path.replaceAll(/\{(\w+)\}/g, (placeholder, name: string) => {
    const example = exampleOf(parameters.find((each) => each.name === name));
    return example === undefined ? placeholder : encodeURIComponent(example);
  });
  const query = parameters
    .filter((each) => each.in === 'query' && each.required === true)
    .map((each) => `${String(each.name)}=${encodeURIComponent(exampleOf(each) ?? `{${String(each.name)}}`)}`)
    .join('&');
  const example = shortestExample(contract, media);
  return [
    `curl${operation.method === 'get' ? '' : ` -X ${operation.method.toUpperCase()}`} ${quote(`${base}${path}${query && `?${query}`}`)}`,
    ...(operation.auth.required ? ['-H "Authorization: Bearer $TOKEN"'] : []),
    ...(operation.idempotent ? ['-H "Idempotency-Key: $(uuidgen)"'] : []),
    ...(operation.form ? [...operation.form.files.keys()].map((name) => `-F ${name}=@photo.jpg`) : []),
    ...(type && !operation.form && example !== undefined
      ? [`-H 'Content-Type: ${type}'`, `-d ${quote(typeof example === 'string' ? example : JSON.stringify(example))}`]
      : []),
  ].join(' ');
}

function exampleOf(parameter: Json | undefined): string | undefined {
  const { example, schema } = (parameter ?? {}) as { example?: string; schema?: { example?: string } };
  return example ?? schema?.example;
}

/** Follows a local reference of the contract; any other value is given back. */
function resolveReference({ document }: Contract, value: unknown): unknown {
  const reference = (value as Json | undefined)?.$ref;
  if (typeof reference !== 'string') return value;
  return reference
    .slice(2)
    .split('/')
    .reduce<unknown>((node, key) => (node as Json)[key], document);
}

/** Links into the interactive documentation as links into this reference; those to its sections as their words. */
export const linkReferences = (text: string, base: string) =>
  text
    .replaceAll(/\]\(#\/[\w-]+\/(\w+)\)/g, (_link, id: string) => `](${base}/api/reference/${id}.md)`)
    .replaceAll(/\[([^[\]]+)\]\(#[^()]*\)/g, '$1');
const oneLine = (text: string) => text.replaceAll(/\s+/g, ' ').trim();
const quote = (text: string) => `'${text.replaceAll("'", String.raw`'\''`)}'`;
const fence = (language: string, text: string) => `\`\`\`${language}\n${text}\n\`\`\``;
