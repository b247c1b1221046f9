import type { Contract } from '../http/contract.ts';
import type { Result } from '../http/types.ts';
import type { Handler } from '../handler.ts';
import { renderShape, type Schema } from './schema-markdown.ts';

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
  const sections = Object.entries(definitions).map(([name, schema]) => renderShape(name, schema));
  return ['# Listing', '', 'The shapes of a listing, as JSON Schema draft 2020-12 has them.', '', ...sections].join(
    '\n',
  );
}
