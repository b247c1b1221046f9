import { ProtocolError, ProtocolErrorCode, ResourceTemplate, type McpServer } from '@modelcontextprotocol/server';
import { toServiceError } from '../http/render-error.ts';
import type { ToolContext } from './tool.ts';

const mimeType = 'text/markdown';
type Node = { id: string; name: string; count: number; children?: Node[] };

/** Registers what can be read by an address: listings as Markdown, and a guide to each category. */
export function registerResources(server: McpServer, open: () => ToolContext, report: (error: unknown) => void): void {
  const read = async (uri: URL, render: () => Promise<string>) => {
    try {
      return { contents: [{ uri: uri.href, mimeType, text: await render() }] };
    } catch (error) {
      const known = toServiceError(error);
      if (!known || known.status >= 500) report(error);
      const { code, message } = known ?? { code: 'internal_error', message: 'Something went wrong on our side.' };
      throw new ProtocolError(
        known?.status === 404 ? ProtocolErrorCode.ResourceNotFound : ProtocolErrorCode.InternalError,
        `${code}: ${message}`,
      );
    }
  };
  server.registerResource(
    'categories',
    'quayside://categories',
    { title: 'Categories', description: 'The tree of categories with their ids.', mimeType },
    async (uri) => read(uri, async () => renderTree((await open().perform('listCategories')).body.categories)),
  );
  server.registerResource(
    'listing',
    new ResourceTemplate('quayside://listings/{id}', { list: undefined }),
    { title: 'Listing', description: 'A listing as Markdown, by id or slug.', mimeType },
    async (uri, { id }) => read(uri, () => readMarkdown(open(), String(id))),
  );
  server.registerResource(
    'category-guide',
    new ResourceTemplate('quayside://categories/{id}', { list: undefined }),
    { title: 'Category guide', description: 'What listings of a category say, and how to filter them.', mimeType },
    async (uri, { id }) => read(uri, () => renderGuide(open(), String(id))),
  );
}

async function readMarkdown({ perform }: ToolContext, id: string): Promise<string> {
  const { body } = (await perform('getListingMarkdown', { params: { id } })) as { body: unknown };
  return String((body as { text: string | Buffer }).text);
}

async function renderGuide({ perform }: ToolContext, id: string): Promise<string> {
  const { body: category } = await perform('getCategory', { params: { id } });
  const { body } = await perform('listAssetTypes');
  const type = body.results.find(({ categoryIds }) => categoryIds.includes(category.id));
  const attributes = (type?.attributes ?? []).map(
    ({ key, label, type, unit, required, filterType, options }) =>
      `- \`${key}\`: ${label}, ${type}${unit ? ` in ${unit}` : ''}${required ? ', required' : ''}${filterType ? `, filter: ${filterType}` : ''}${options ? `: ${options.join(', ')}` : ''}`,
  );
  return [
    `# ${category.path.join(' > ')}`,
    `Id \`${category.id}\`, ${category.count} listings.`,
    type?.description ?? '',
    ...(category.children.length > 0 ? ['## Below it', renderTree(category.children)] : []),
    '## Attributes',
    ...(attributes.length > 0 ? attributes : ['None of its own.']),
  ].join('\n');
}

const renderTree = (nodes: Node[], indent = ''): string =>
  nodes
    .map(({ id, name, count, children = [] }) =>
      [
        `${indent}- ${name} \`${id}\` (${count})`,
        ...(children.length > 0 ? [renderTree(children, `${indent}  `)] : []),
      ].join('\n'),
    )
    .join('\n');
