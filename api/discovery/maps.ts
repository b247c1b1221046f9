import { notFound } from '../../shared/kit/errors.ts';
import type { Handler } from '../handler.ts';
import type { Links } from '../http/links.ts';
import { describeAuthorizationServer, offersOAuth } from '../oauth/metadata.ts';
import type { Services } from '../services.ts';
import { MARKDOWN } from '../listings/markdown.ts';
import { describeService, WRITTEN_FOR } from './documents.ts';
import { renderOperation, renderReferenceIndex } from './operation-reference.ts';

/** A slice of the contract; `servers` names the address that the request came in by. */
export const getOpenapiSlice: Handler<'getOpenapiSlice'> = ({ slices }, { params, links }) => {
  const slice = slices().find(({ name }) => name === params.slice);
  if (!slice) throw notFound('OpenAPI slice', params.slice);
  const text = JSON.stringify({ ...slice.document, servers: [{ url: links.base }] });
  return {
    status: 200,
    body: { text: text.replaceAll(WRITTEN_FOR, links.base), type: 'application/json; charset=utf-8' },
  };
};

/** Every operation in a line, by tag. */
export const getReference: Handler<'getReference'> = (services, { links }) => ({
  status: 200,
  body: { text: renderReferenceIndex(services, links.base), type: MARKDOWN },
});

/** The page of one operation. */
export const getOperationReference: Handler<'getOperationReference'> = (services, { params, links }) => {
  const operation = services.contract.operations.find(({ id }) => id === params.operationId);
  if (!operation) throw notFound('operation', params.operationId);
  const text = renderOperation(services, operation, links.base).replaceAll(WRITTEN_FOR, links.base);
  return { status: 200, body: { text, type: MARKDOWN } };
};

/** RFC 9727: the API and its MCP server, with descriptions (service-desc), documentation (service-doc) and state (status). */
export const getApiCatalog: Handler<'getApiCatalog'> = ({ slices, config }, { links: { base } }) => {
  const catalog = `${base}/.well-known/api-catalog`;
  const linkset = [
    { anchor: catalog, item: [{ href: `${base}/api` }, { href: `${base}/mcp` }] },
    {
      anchor: `${base}/api`,
      'service-desc': [
        { href: `${base}/api/openapi.json`, type: 'application/json', title: 'OpenAPI 3.1, whole' },
        ...slices().map(({ name }) => ({
          href: `${base}/api/openapi/${name}.json`,
          type: 'application/json',
          title: `OpenAPI 3.1: ${name}`,
        })),
      ],
      'service-doc': [
        { href: `${base}/api/docs`, type: 'text/html' },
        { href: `${base}/api/docs/guides`, type: 'text/html' },
        { href: `${base}/api/docs/guides.md`, type: 'text/markdown' },
        { href: `${base}/api/reference.md`, type: 'text/markdown' },
        { href: `${base}/llms.txt`, type: 'text/plain' },
      ],
      'service-meta': [{ href: `${base}/.well-known/ai.json`, type: 'application/json' }],
      status: [{ href: `${base}/health`, type: 'application/json' }],
    },
    {
      anchor: `${base}/mcp`,
      'service-meta': [
        { href: `${base}/.well-known/agent-card.json`, type: 'application/json' },
        ...(offersOAuth({ config })
          ? [{ href: `${base}/.well-known/oauth-protected-resource/mcp`, type: 'application/json' }]
          : []),
      ],
    },
  ];
  return {
    status: 200,
    body: {
      text: JSON.stringify({ linkset }),
      type: 'application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"',
    },
    headers: { Link: `<${catalog}>; rel="api-catalog"` },
  };
};

/** The agent card of A2A; its interfaces are MCP and HTTP, as the service speaks no A2A messages of its own. */
export const getAgentCard: Handler<'getAgentCard'> = (services, { links }) => {
  const { base } = links;
  const { name, description } = describeService(services);
  const { version } = services.contract.document.info as { version: string };
  return {
    status: 200,
    body: {
      name,
      description,
      version,
      documentationUrl: `${base}/llms.txt`,
      provider: { organization: services.config.brand.name, url: base },
      supportedInterfaces: [
        { url: `${base}/mcp`, protocolBinding: 'MCP', protocolVersion: '2025-06-18' },
        { url: `${base}/api`, protocolBinding: 'OPENAPI', protocolVersion: '3.1' },
      ],
      capabilities: { streaming: false, pushNotifications: false },
      securitySchemes: {
        bearer: {
          httpAuthSecurityScheme: {
            scheme: 'Bearer',
            description: 'An API key (svc_…) with scopes. Reading what is public needs none.',
          },
        },
        ...(offersOAuth(services) && { oauth2: { oauth2SecurityScheme: describeOAuth(services, links) } }),
      },
      defaultInputModes: ['application/json'],
      defaultOutputModes: ['application/json', 'text/markdown'],
      skills,
    },
  };
};

/** The OAuth flow as A2A has it; what the scopes allow is said in the contract. */
function describeOAuth(services: Services, links: Links) {
  const server = describeAuthorizationServer(services, links);
  const { securitySchemes } = services.contract.document.components as { securitySchemes: { oauth2: OAuthScheme } };
  return {
    description: 'A person connects an agent to their account and chooses its scopes; clients register themselves.',
    oauth2MetadataUrl: `${links.base}/.well-known/oauth-authorization-server`,
    flows: {
      authorizationCode: {
        authorizationUrl: server.authorization_endpoint,
        tokenUrl: server.token_endpoint,
        refreshUrl: server.token_endpoint,
        pkceRequired: true,
        scopes: securitySchemes.oauth2.flows.authorizationCode.scopes,
      },
    },
  };
}

type OAuthScheme = { flows: { authorizationCode: { scopes: Record<string, string> } } };

const skills = [
  {
    id: 'find',
    name: 'Find and compare listings',
    description: 'Searches by words, category, price, place and attributes, and reads listings as JSON or Markdown.',
    tags: ['search', 'compare'],
    examples: ['Find three sailboats below 50000 EUR built after 1995 and compare them.'],
  },
  {
    id: 'sell',
    name: 'Draft and publish a listing',
    description: 'Makes a draft from text and images, recommends a price, and publishes it.',
    tags: ['sell', 'publish'],
    examples: ['Write a listing for my boat and publish it once I agree.'],
  },
  {
    id: 'messages',
    name: 'Write to sellers and buyers',
    description: 'Begins conversations about listings, reads and answers them.',
    tags: ['messages'],
    examples: ['Has the seller answered? Then ask for a viewing on Saturday.'],
  },
  {
    id: 'rent',
    name: 'Rent a boat',
    description: 'Finds boats for rent, their free days, and books.',
    tags: ['rentals', 'booking'],
    examples: ['Book a boat in Kiel for the first week of July.'],
  },
];
