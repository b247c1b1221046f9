import { stringify } from 'yaml';
import { DAY_MS } from '../../shared/kit/clock.ts';
import { isEmail } from '../../shared/kit/email.ts';
import { urlTo } from '../../shared/kit/site-links.ts';
import { assetUrl } from '../pages/assets.ts';
import { offersOAuth } from '../oauth/metadata.ts';
import { ICON_SIZES } from '../pages/icons.ts';
import type { Handler } from '../handler.ts';
import type { Contract } from '../http/contract.ts';
import type { Links } from '../http/links.ts';
import type { Services } from '../services.ts';

/** The address that the calls in openapi.yaml are written with; readers get the one that their request came in by. */
export const WRITTEN_FOR = 'http://localhost:3000';

/** Fields of the contract that drive this service and tell its readers nothing. */
const INTERNAL_FIELDS = [
  'x-audit',
  'x-enrolment',
  'x-owner',
  'x-cache',
  'x-body-limit-bytes',
  'x-lenient-body',
  'x-raw-body',
  'x-eov-allow-unknown-query-parameters',
];
const internalFields = new Set(INTERNAL_FIELDS);
const internalLines = new RegExp(`^ +(?:${INTERNAL_FIELDS.join('|')}): .*\n`, 'gm');

/** The contract as JSON; `servers` names the address that the request came in by. What is checked by hand is referred to. */
export const renderContract = ({ document }: Contract, { base }: Links): string =>
  JSON.stringify({ ...document, servers: [{ url: base }] }, (key, value: unknown) =>
    internalFields.has(key) ? undefined : value,
  )
    .replaceAll('"x-schema":', '"$ref":')
    .replaceAll(WRITTEN_FOR, base);

export const getOpenapiJson: Handler<'getOpenapiJson'> = ({ contract }, { links }) => ({
  status: 200,
  body: { text: renderContract(contract, links), type: 'application/json; charset=utf-8' },
  headers: fresh,
});

/** The same as YAML. It is made from the lines of openapi.yaml, in which each of those fields is one line. */
export const getOpenapiYaml: Handler<'getOpenapiYaml'> = ({ contract }, { links }) => ({
  status: 200,
  body: {
    text: contract.yaml
      .slice(contract.yaml.indexOf('openapi:'))
      .replace(/^servers:\n(?: .*\n)+/m, stringify({ servers: [{ url: links.base }] }))
      .replaceAll(internalLines, '')
      .replaceAll(/^( +)x-schema: /gm, '$1$ref: ')
      .replaceAll(WRITTEN_FOR, links.base),
    type: 'application/yaml; charset=utf-8',
  },
  headers: fresh,
});

/** Pages of one person, and those that lead there. */
const PRIVATE = ['/my/', '/inbox', '/sign-in', '/sell', '/unsubscribe'];

/** For crawlers of the web: what they may read, and where the sitemap and the discovery document for agents is. */
export const getRobots: Handler<'getRobots'> = (_services, { links }) => ({
  status: 200,
  body: {
    text: [
      'User-agent: *',
      'Allow: /api/listings',
      'Allow: /api/rentals',
      'Allow: /api/categories',
      'Allow: /api/schema',
      'Allow: /api/reference',
      'Allow: /api/openapi',
      'Allow: /llms.txt',
      'Disallow: /admin',
      'Disallow: /api/admin/',
      ...PRIVATE.map((path) => `Disallow: ${path}`),
      '',
      `Sitemap: ${links.base}/sitemap.xml`,
      `AI-Discovery: ${links.base}/.well-known/ai.json`,
      `# LLMs: ${links.base}/llms.txt`,
      `# API-Catalog: ${links.base}/.well-known/api-catalog`,
      '',
    ].join('\n'),
    type: 'text/plain; charset=utf-8',
  },
});

const SECURITY_DAYS = 180;

/** RFC 9116: the contact of the crawler, else the imprint, else the site itself. */
export const getSecurityTxt: Handler<'getSecurityTxt'> = ({ config, profile, clock }, { links }) => {
  const { crawlerContact: contact, brand, site } = config;
  const today = clock.now().getTime() - (clock.now().getTime() % DAY_MS);
  const text = [
    `Contact: ${contact === undefined ? (brand.imprintUrl ?? urlTo(site, 'home', {})) : isEmail(contact) ? `mailto:${contact}` : contact}`,
    `Expires: ${new Date(today + SECURITY_DAYS * DAY_MS).toISOString()}`,
    `Preferred-Languages: ${profile.locales.join(', ')}`,
    `Canonical: ${links.base}/.well-known/security.txt`,
    '',
  ].join('\n');
  return { status: 200, body: { text, type: 'text/plain; charset=utf-8' } };
};

/** Name, colour and icons of the pages for people, as a telephone keeps them. */
export const getManifest: Handler<'getManifest'> = ({ config: { brand, site } }, { links }) => {
  const manifest = {
    name: brand.name,
    short_name: brand.name,
    start_url: urlTo(site, 'home', {}),
    display: 'minimal-ui',
    theme_color: brand.color,
    background_color: '#ffffff',
    icons: [
      { src: assetUrl(links, 'icon.svg'), sizes: 'any', type: 'image/svg+xml' },
      ...ICON_SIZES.map((size) => ({
        src: `${links.base}/icons/${size}.png`,
        sizes: `${size}x${size}`,
        type: 'image/png',
      })),
    ],
  };
  return { status: 200, body: { text: JSON.stringify(manifest), type: 'application/manifest+json; charset=utf-8' } };
};

/** What an agent needs to start: addresses, authentication, limits, formats and schemas. */
export const getDiscovery: Handler<'getDiscovery'> = (services, { links }) => ({
  status: 200,
  body: {
    ...describeService(services),
    url: links.base,
    api: {
      base_url: `${links.base}/api`,
      version: 'v1',
      endpoints: endpointsOf(services, links.base),
      auth: {
        type: 'bearer',
        header: 'Authorization',
        prefix: 'Bearer',
        docs: `${links.base}/api/docs`,
        ...(offersOAuth(services) && { oauth: `${links.base}/.well-known/oauth-protected-resource` }),
      },
      rate_limits: limitsOf(services),
      formats: ['json', 'markdown'],
      schema: {
        listing: `${links.base}/api/schema/listing`,
        openapi: `${links.base}/api/openapi.json`,
        openapi_by_tag: `${links.base}/api/openapi/{tag}.json`,
        reference: `${links.base}/api/reference.md`,
        guides: `${links.base}/api/docs/guides.md`,
        llms: `${links.base}/llms.txt`,
        llms_full: `${links.base}/llms-full.txt`,
        api_catalog: `${links.base}/.well-known/api-catalog`,
        agent_card: `${links.base}/.well-known/agent-card.json`,
      },
      mcp: {
        url: `${links.base}/mcp`,
        transport: 'streamable-http',
        config: describeMcpClient(links.base),
      },
    },
  },
});

/** How most clients of MCP are told of a server: an entry of their configuration. */
export const describeMcpClient = (base: string) => ({
  mcpServers: { quayside: { type: 'http', url: `${base}/mcp`, headers: { Authorization: 'Bearer <API key>' } } },
});

/** What the service calls itself and says of itself to agents. */
export const describeService = ({ config, profile }: Pick<Services, 'config' | 'profile'>) => ({
  name: `${config.brand.name}: ${profile.tagline.en}`,
  description:
    'Search, read and publish classified listings and rentals, ask what things are worth, and write to sellers. Listings and rentals can be read as JSON or Markdown.',
});

const fresh = { 'Cache-Control': 'public, max-age=300' };

const advertised = {
  search: 'searchListings',
  search_markdown: 'searchListingsMarkdown',
  listing: 'getListing',
  listing_markdown: 'getListingMarkdown',
  suggest: 'suggest',
  upload: 'uploadImage',
  create: 'createListing',
  update: 'updateListing',
  publish: 'publishListing',
  mark_sold: 'markListingSold',
  renew: 'renewListing',
  contact: 'contactListingOwner',
  favorite: 'addFavorite',
  save_search: 'createSavedSearch',
  write_to_seller: 'startConversation',
  reviews: 'listUserReviews',
  price: 'recommendPrice',
  assess_price: 'assessPrice',
  rentals: 'listRentals',
  rentals_markdown: 'listRentalsMarkdown',
  rental_availability: 'getRentalAvailability',
  book_rental: 'createBooking',
  events: 'listEvents',
  webhooks: 'createWebhook',
  ingest: 'ingestRecords',
  categories: 'listCategories',
  asset_types: 'listAssetTypes',
  register: 'register',
  login: 'login',
  api_keys: 'createApiKey',
} as const;

function endpointsOf({ contract }: Services, base: string): Record<string, string> {
  const paths = new Map(contract.operations.map((operation) => [operation.id, operation]));
  return Object.fromEntries(
    Object.entries(advertised).map(([name, id]) => {
      const operation = paths.get(id);
      if (!operation) throw new Error(`the operation ${id} is advertised but not in openapi.yaml`);
      const query = operation.requiredQuery.map((each) => `${each}={${each}}`).join('&');
      return [name, `${operation.method.toUpperCase()} ${base}${operation.path}${query && `?${query}`}`];
    }),
  );
}

function limitsOf({ profile, config }: Services): Record<string, string> {
  const scale = (limit: number) => Math.max(1, Math.floor(limit * config.rateLimitMultiplier));
  if (config.rateLimitMultiplier === 0) return {};
  const budgets = Object.entries(profile.rateLimits).flatMap(([name, { anonymous, authenticated }]) =>
    Object.entries({ anonymous, authenticated }).map(([who, rule]) => [
      `${name}_${who}`,
      `${scale(rule.limit)} per ${rule.windowSeconds} seconds, counted by ${rule.keyedBy}`,
    ]),
  );
  const quotas = Object.entries(profile.quotas).flatMap(([name, rules]) =>
    rules.map((rule) => [
      `${name}_by_${rule.keyedBy}`,
      `${scale(rule.limit)} per ${rule.windowSeconds === 86_400 ? 'day' : 'hour'}`,
    ]),
  );
  return Object.fromEntries([...budgets, ...quotas]) as Record<string, string>;
}
