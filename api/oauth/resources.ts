import type { createLinks, Links } from '../http/links.ts';

/** The resource identifier (RFC 8707) of the MCP server, and that of the whole service. */
export const mcpResource = ({ base }: Pick<Links, 'base'>): string => `${base}/mcp`;

/** Every resource that access tokens may be for, by either way in. */
export const listResources = (links: ReturnType<typeof createLinks>): string[] => [
  ...new Set([false, true].flatMap((proxied) => resourcesOf(links.of(proxied)))),
];

/** The resource that a client has named, in its one spelling; that of the MCP server without one; undefined for a foreign one. */
export function readResource(links: Links, named: string | undefined): string | undefined {
  if (named === undefined) return mcpResource(links);
  if (!URL.canParse(named) || named.includes('#')) return undefined;
  const spelled = new URL(named).href.replace(/\/$/, '');
  return resourcesOf(links).find((resource) => resource === spelled);
}

const resourcesOf = (links: Links): string[] =>
  [links.base, mcpResource(links)].map((url) => new URL(url).href.replace(/\/$/, ''));
