import type { Handler } from '../handler.ts';
import type { Contract, OperationId } from '../http/contract.ts';
import type { Links } from '../http/links.ts';
import { offersOAuth } from '../oauth/metadata.ts';
import type { Services } from '../services.ts';
import { describeMcpClient, describeService, WRITTEN_FOR } from './documents.ts';
import { linkReferences, renderOperation } from './operation-reference.ts';

/** What agents come for, and the operations that do it. */
const TASKS: Record<string, OperationId[]> = {
  'Find and compare': [
    'searchListings',
    'getListing',
    'multiSearchListings',
    'suggest',
    'listCategoriesFlat',
    'listAssetTypes',
    'getUserRating',
  ],
  Sell: [
    'createListing',
    'uploadImage',
    'addListingImages',
    'publishListing',
    'updateListing',
    'renewListing',
    'markListingSold',
    'recommendPrice',
    'assessPrice',
  ],
  Messages: ['startConversation', 'listConversations', 'getConversation', 'sendMessage', 'markConversationRead'],
  'Keep an eye on': ['addFavorite', 'createSavedSearch', 'listEvents', 'createWebhook'],
  Rent: ['listRentals', 'getRentalAvailability', 'createBooking', 'listMyBookings'],
  Account: ['register', 'login', 'createApiKey', 'getMe', 'listMyListings'],
};

/** The map for language models (llmstxt.org): rules in short, tasks with links to the reference, and where the rest is. */
export const getLlms: Handler<'getLlms'> = (services, { links }) => textAnswer(renderMap(services, links));

/** The map, the rules of the whole API, and the reference of every operation that the map names, in one text. */
export const getLlmsFull: Handler<'getLlmsFull'> = (services, { links }) => {
  const { contract } = services;
  const { description } = contract.document.info as { description: string };
  const pages = Object.values(TASKS)
    .flat()
    .map((id) => renderOperation(services, findOperation(contract, id), links.base));
  const rules = linkReferences(description.replaceAll(WRITTEN_FOR, links.base), links.base);
  return textAnswer([renderMap(services, links), '# Rules of the API', rules.trim(), ...pages].join('\n\n'));
};

function renderMap(services: Services, { base }: Links): string {
  const { name, description } = describeService(services);
  const tasks = Object.entries(TASKS).flatMap(([task, ids]) => [
    `## ${task}`,
    ids.map((id) => taskLine(services.contract, id, base)).join('\n'),
  ]);
  return [
    `# ${name}`,
    `> ${description}`,
    [
      `- Base: ${base}/api. JSON in and out; \`.md\` at the end of a listing, a rental or their lists gives Markdown, which is shorter.`,
      '- Reading needs no credential. Anything else: `Authorization: Bearer <API key>`; a person makes the key (createApiKey) and chooses its scopes.',
      ...(offersOAuth(services)
        ? [
            `- Or connect by OAuth 2.1 (authorization code, PKCE): \`${base}/.well-known/oauth-protected-resource/mcp\`.`,
          ]
        : []),
      `- Search: \`GET ${base}/api/listings.md?q=…&category=…&max_price=…&attr[min_year]=…&sort=price_asc&limit=5\`. Ids of categories: listCategoriesFlat.`,
      '- Selling: createListing makes a draft that only its owner sees, publishListing puts it on the market. Ask your person before you publish or pay.',
      '- Lists have `results` and `pagination`; ask for a small `limit`, and for `fields` where you need few.',
      '- Errors are `{"error": {"code", "message", "details"}}`: branch on `code`; `details.errors` names the field. After a 429 or 503 wait `Retry-After` seconds.',
      '- Send an `Idempotency-Key` with every change, and the same one when you repeat it.',
    ].join('\n'),
    '## MCP',
    `If you speak MCP, the Model Context Protocol, you need nothing else of this: ${base}/mcp (Streamable HTTP) has tools for all of it, and without \`headers\` those that read. A client's configuration: \`${JSON.stringify(describeMcpClient(base))}\`${offersOAuth(services) ? `; a client that opens a browser for its person connects to ${base}/mcp?auth=required without \`headers\`` : ''}.`,
    'Each link below is one page: parameters, body, an example, errors and a curl line.',
    ...tasks,
    '## Reference',
    [
      `- [All operations](${base}/api/reference.md)`,
      `- [Guides](${base}/api/docs/guides.md): authentication, searching, following changes, webhooks, errors`,
      `- OpenAPI by tag, below 12,000 tokens each: ${base}/api/openapi/{tag}.json, as [listings](${base}/api/openapi/listings.json)`,
      `- [Fields of a listing](${base}/api/schema/listing.md)`,
    ].join('\n'),
    '## Optional',
    [
      `- [This map with the rules and the pages above](${base}/llms-full.txt)`,
      `- [The whole contract](${base}/api/openapi.json): large`,
      `- [API catalog](${base}/.well-known/api-catalog), [agent card](${base}/.well-known/agent-card.json), [ai.json](${base}/.well-known/ai.json)`,
    ].join('\n'),
  ]
    .join('\n\n')
    .concat('\n');
}

function taskLine(contract: Contract, id: OperationId, base: string): string {
  const { method, path } = findOperation(contract, id);
  const { summary } = (contract.document.paths[path] as Record<string, { summary: string }>)[method]!;
  return `- [${id}](${base}/api/reference/${id}.md): ${summary}, \`${method.toUpperCase()} ${path}\``;
}

function findOperation({ operations }: Contract, id: OperationId) {
  const operation = operations.find((each) => each.id === id);
  if (!operation) throw new Error(`the operation ${id} is on the map but not in openapi.yaml`);
  return operation;
}

const textAnswer = (text: string) => ({
  status: 200 as const,
  body: { text, type: 'text/plain; charset=utf-8' },
});
