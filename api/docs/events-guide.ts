import type { Contract } from '../http/contract.ts';
import { renderShape, type Schema } from '../discovery/schema-markdown.ts';

type Hook = {
  summary: string;
  description: string;
  requestBody: { content: { 'application/json': { schema: Schema } } };
};

const HEAD = `# Events

Every type of event, with the fields of its \`data\` and an example, as the contract has them under \`webhooks\`. The same types and data
come in [the change feed](sync.md) and to [webhooks](webhooks.md).`;

/** What an example has instead of what its schema shows, where the type of the event says so. */
const STATUS: Record<string, string> = {
  'listing.created': 'draft',
  'listing.sold': 'sold',
  'listing.expired': 'expired',
  'listing.flagged': 'flagged',
  'run.failed': 'failed',
  'run.cancelled': 'cancelled',
};

/** The catalogue of events as Markdown: when each comes, its payload, an example as it is posted. */
export function renderEventsGuide({ document }: Contract): string {
  const hooks = Object.entries(document.webhooks as Record<string, { post: Hook }>);
  const { schemas } = document.components as { schemas: Record<string, Schema> };
  const list = hooks.map(([type, { post }]) => `| [\`${type}\`](#${anchorOf(type)}) | ${post.summary}. |`);
  const sections = hooks.map(([type, { post }]) => {
    const { properties } = flatten(schemas, post.requestBody.content['application/json'].schema);
    const { data } = properties as Record<string, Schema>;
    const shape = data && flatten(schemas, data);
    return [
      `## \`${type}\``,
      `${post.summary}. ${toParagraph(post.description)}`,
      ...(shape ? [renderShape('data', shape, '###').trim()] : []),
      `\`\`\`json\n${JSON.stringify(exampleOf(type, shape?.example), null, 2)}\n\`\`\``,
    ].join('\n\n');
  });
  return [HEAD, ['| Type | When |', '|---|---|', ...list].join('\n'), ...sections].join('\n\n').concat('\n');
}

/** An event as it is posted to a webhook. */
function exampleOf(type: string, data: unknown) {
  const status = STATUS[type];
  const shown = typeof data === 'object' && status !== undefined ? { ...data, status } : data;
  return {
    id: 'whd_01K6Q8ZZ3V4H5J6K7M8N9P0Q1R',
    type,
    created_at: '2025-10-05T07:30:00.512Z',
    ...(shown !== undefined && { data: shown }),
  };
}

const anchorOf = (type: string) => type.replaceAll('.', '');

/** Links into the reference, as they are written in the contract, as addresses. */
const toParagraph = (text: string) =>
  text
    .trim()
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/\]\(#\/([\w-]+)\/(\w+)\)/g, '](http://localhost:3000/api/docs#tag/$1/$2)');

/** A schema with what it refers to and what it is made of put together. */
function flatten(schemas: Record<string, Schema>, schema: Schema): Schema {
  const { $ref, allOf = [], ...own } = schema as Schema & { $ref?: string; allOf?: Schema[] };
  const target = $ref === undefined ? [] : [schemas[$ref.split('/').at(-1) ?? ''] ?? {}];
  const parts = [...target, ...allOf].map((part) => flatten(schemas, part));
  const properties = Object.assign({}, ...[...parts, own].map((part) => part.properties ?? {})) as Schema;
  const required = [...parts, own].flatMap((part) => (part.required as string[] | undefined) ?? []);
  return { ...Object.assign({}, ...parts), ...own, properties, required } as Schema;
}
