import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';

const contractFile = fileURLToPath(new URL('../../openapi.yaml', import.meta.url));
const operationsFile = fileURLToPath(new URL('src/operations.gen.ts', import.meta.url));
const readmeFile = fileURLToPath(new URL('README.md', import.meta.url));
const tableStart = '<!-- events: npm run generate -->\n';
const tableEnd = '<!-- /events -->';

type Operation = { summary: string; description: string; parameters?: { $ref?: string }[]; requestBody?: Body };
type Body = { content: { 'application/json': { schema: { $ref?: string; allOf?: { $ref?: string }[] } } } };
type Schema = { $ref?: string; allOf?: Schema[]; properties?: Record<string, Schema> };
type Contract = {
  paths: Record<string, Record<string, Operation>>;
  webhooks: Record<string, { post: Operation }>;
  components: { schemas: Record<string, Schema> };
};

/** The operations that take an Idempotency-Key, which the client makes, as a module. */
export function renderOperations({ paths }: Contract): string {
  const names = Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item)
      .filter(([, { parameters }]) => parameters?.some(({ $ref }) => $ref?.endsWith('/IdempotencyKey')))
      .map(([method]) => `${method.toUpperCase()} ${path}`),
  );
  const lines = names.toSorted().map((name) => `  '${name}',\n`);
  return `// Generated from openapi.yaml by npm run generate.\nexport const idempotentOperations: ReadonlySet<string> = new Set([\n${lines.join('')}]);\n`;
}

/** The catalogue of events as a Markdown table: its type, when it comes, the fields of its data. */
export function renderEventTable({ webhooks, components }: Contract): string {
  const rows = Object.entries(webhooks).map(([type, { post }]) => {
    const { schema } = (post.requestBody as Body).content['application/json'];
    const name = (schema.$ref ?? schema.allOf?.[0]?.$ref ?? '').split('/').at(-1) ?? '';
    const data = propertiesOf(components.schemas, { $ref: name })['data'] ?? {};
    const fields = Object.keys(propertiesOf(components.schemas, data)).map((field) => `\`${field}\``);
    return `| \`${type}\` | ${post.summary}. ${plainText(post.description)} | ${fields.join(', ')} |\n`;
  });
  return `| Type | When | \`data\` |\n|---|---|---|\n${rows.join('')}`;
}

/** One line, without the links that only the contract has. */
const plainText = (markdown: string): string =>
  markdown
    .trim()
    .replaceAll('\n', ' ')
    .replaceAll(/\[([^\]]{1,100})\]\(#[^)]{1,100}\)/g, '$1');

function propertiesOf(
  schemas: Record<string, Schema>,
  { $ref, allOf = [], properties = {} }: Schema,
): Record<string, Schema> {
  const target = $ref === undefined ? undefined : schemas[$ref.split('/').at(-1) ?? ''];
  const inherited = [...allOf, ...(target ? [target] : [])].map((each) => propertiesOf(schemas, each));
  return Object.assign({}, ...inherited, properties) as Record<string, Schema>;
}

/** The README with the table of this contract. */
export function renderReadme(readme: string, contract: Contract): string {
  const start = readme.indexOf(tableStart);
  const end = readme.indexOf(tableEnd);
  if (start < 0 || end < start) throw new Error('The README of the SDK has lost the marks of its table of events.');
  return readme.slice(0, start + tableStart.length) + renderEventTable(contract) + readme.slice(end);
}

/** The contract as the generators read it. */
export const readBundledContract = (): Contract => parse(readFileSync(contractFile, 'utf8')) as Contract;

if (import.meta.main) {
  const contract = readBundledContract();
  writeFileSync(operationsFile, renderOperations(contract));
  writeFileSync(readmeFile, renderReadme(readFileSync(readmeFile, 'utf8'), contract));
}
