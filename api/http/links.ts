import type { Config } from '../../shared/kit/config.ts';

/** The public addresses that an answer may name, for the way this request came in. */
export type Links = { base: string; static: string };

/** Builds links for both ways in: the API's own address, and the path prefix of PROXY_BASE_URL when it is set. */
export function createLinks(config: Pick<Config, 'baseUrl' | 'staticUrl' | 'proxyBaseUrl'>) {
  const direct: Links = { base: config.baseUrl, static: config.staticUrl };
  const proxied: Links = { base: config.proxyBaseUrl ?? config.baseUrl, static: config.staticUrl };
  const prefix = config.proxyBaseUrl ? new URL(config.proxyBaseUrl).pathname.replace(/(?<!\/)\/+$/, '') : '';
  return {
    /** The path prefix of the proxy, without a slash at its end; empty when there is none. */
    prefix,
    of: (cameThroughProxy: boolean): Links => (cameThroughProxy ? proxied : direct),
  };
}
