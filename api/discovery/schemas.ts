import type { Contract } from '../http/contract.ts';
import type { Result } from '../http/types.ts';
import type { Handler } from '../handler.ts';

type Schema = Record<string, unknown>;

/** The schemas that the service publishes. */
export const listSchemas: Handler<'listSchemas'> = (_services, { links }) => ({
  status: 200,
  body: {
    schemas: [
      {
        name: 'listing',
        url: `${links.base}/api/schema/listing`,
        description: 'JSON Schema (draft 2020-12) of a listing.',
      },
      { name: 'listing.md', url: `${links.base}/api/schema/listing.md`, description: 'The same as Markdown.' },
      { name: 'openapi', url: `${links.base}/api/openapi.json`, description: 'The whole API as OpenAPI 3.1.' },
    ],
  },
});

/** The listing as a self-contained JSON Schema, made from the contract. */
export const getListingSchema: Handler<'getListingSchema'> = ({ contract }, { links }) => ({
  status: 200,
  body: listingSchema(contract, links.base) as Result<'getListingSchema', 200>,
});

/** The fields of a listing as Markdown tables, one for each shape. */
export const getListingSchemaMarkdown: Handler<'getListingSchemaMarkdown'> = ({ contract }) => ({
  status: 200,
  body: { text: renderMarkdown(collectDefinitions(contract)), type: 'text/markdown; charset=utf-8' },
});

function listingSchema(contract: Contract, base: string): Schema {
  const { Listing, ...definitions } = collectDefinitions(contract);
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $id: `${base}/api/schema/listing`,
    title: 'Listing',
    type: 'object',
    ...localRefs(Listing),
    $defs: localRefs(definitions),
  };
}

/** A shape that extends another as one list of fields, for readers that do not follow `allOf`. */
function flatten({ allOf, ...own }: Schema, core: Schema): Schema {
  const parts = [core, ...(allOf as Schema[]).filter((part) => part.$ref === undefined)];
  return {
    ...own,
    required: parts.flatMap((part) => part.required ?? []),
    properties: Object.assign({}, ...parts.map((part) => part.properties)) as Schema,
  };
}

/** The component schema Listing, as one list of fields, and everything it refers to, by name. */
function collectDefinitions({ document }: Contract): Record<string, Schema> {
  const { schemas } = document.components as { schemas: Record<string, Schema> };
  const found = new Map<string, Schema>();
  const visit = (name: string): void => {
    const schema = schemas[name];
    if (!schema || found.has(name)) return;
    found.set(name, schema);
    for (const [, next] of JSON.stringify(schema).matchAll(/#\/components\/schemas\/(\w+)/g)) if (next) visit(next);
  };
  visit('Listing');
  const { Listing, ListingCore, ...others } = Object.fromEntries(found);
  return { Listing: flatten(Listing!, ListingCore!), ...others };
}

function localRefs<T>(value: T): T {
  return JSON.parse(JSON.stringify(value).replaceAll('#/components/schemas/', '#/$defs/')) as T;
}

function renderMarkdown(definitions: Record<string, Schema>): string {
  const sections = Object.entries(definitions).map(([name, schema]) => renderSection(name, schema));
  return ['# Listing', '', 'The shapes of a listing, as JSON Schema draft 2020-12 has them.', '', ...sections].join(
    '\n',
  );
}

function renderSection(name: string, schema: Schema): string {
  const parts = [schema, ...((schema.allOf as Schema[] | undefined) ?? [])];
  const required = new Set(parts.flatMap((part) => (part.required as string[] | undefined) ?? []));
  const fields = parts.flatMap((part) => Object.entries((part.properties as Record<string, Schema> | undefined) ?? {}));
  const intro = [`## ${name}`, '', ...(schema.description ? [cell(plain(schema.description)), ''] : [])];
  const bases = parts.flatMap((part) => (typeof part.$ref === 'string' ? [`Includes ${refName(part.$ref)}.`, ''] : []));
  if (fields.length === 0) return [...intro, ...bases, `Type: ${typeText(schema)}`, ''].join('\n');
  const rows = fields.map(
    ([field, rule]) => `| ${field} | ${typeText(rule)} | ${required.has(field) ? 'yes' : 'no'} | ${ruleText(rule)} |`,
  );
  return [...intro, ...bases, '| Field | Type | Required | Rules |', '|---|---|---|---|', ...rows, ''].join('\n');
}

function typeText(schema: Schema): string {
  if (typeof schema.$ref === 'string') return refName(schema.$ref);
  if (Array.isArray(schema.enum)) return schema.enum.map(String).join(', ');
  if (schema.const !== undefined) return `always ${JSON.stringify(schema.const)}`;
  if (Array.isArray(schema.oneOf)) return (schema.oneOf as Schema[]).map(typeText).join(' or ');
  if (typeof schema.additionalProperties === 'object' && !schema.properties)
    return `map of ${typeText(schema.additionalProperties as Schema)}`;
  const types = [(schema.type as string | string[] | undefined) ?? 'any']
    .flat()
    .map((type) => (type === 'array' && schema.items ? `array of ${typeText(schema.items as Schema)}` : type))
    .join(' or ');
  return typeof schema.format === 'string' ? `${types} (${schema.format})` : types;
}

const ruleNames: [string, string][] = [
  ['minLength', 'at least N characters'],
  ['maxLength', 'at most N characters'],
  ['minimum', 'N or more'],
  ['maximum', 'N or less'],
  ['maxItems', 'at most N items'],
  ['pattern', 'matches N'],
];

function ruleText(schema: Schema): string {
  const rules = ruleNames.flatMap(([key, text]) =>
    schema[key] === undefined
      ? []
      : [text.replace('N', () => (key === 'pattern' ? `\`${plain(schema[key])}\`` : plain(schema[key])))],
  );
  const readOnly = schema.readOnly === true ? ['read-only'] : [];
  const description = typeof schema.description === 'string' ? [schema.description] : [];
  return cell([...readOnly, ...rules, ...description].join('; '));
}

const refName = (ref: string) => ref.slice(ref.lastIndexOf('/') + 1);
/** One line of a table; links into the interactive documentation lead nowhere from here. */
const cell = (text: string) =>
  text
    .replaceAll(/\[([^[\]]+)\]\(#[^()]*\)/g, '$1')
    .replaceAll('|', '\\|')
    .replaceAll(/\s+/g, ' ')
    .trim();
const plain = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value));
