import type { Config } from '../../shared/kit/config.ts';

/** The public addresses that an answer may name, for the way this request came in. */
export type Links = {
  base: string;
  /** The path of the base, without a slash at its end. */
  path: string;
  static: string;
};

/** Builds links for both ways in: the API's own address, and the path prefix of PROXY_BASE_URL when it is set. */
export function createLinks(config: Pick<Config, 'baseUrl' | 'staticUrl' | 'proxyBaseUrl'>) {
  const linksTo = (base: string): Links => ({
    base,
    path: new URL(base).pathname.replace(/(?<!\/)\/+$/, ''),
    static: config.staticUrl,
  });
  const direct = linksTo(config.baseUrl);
  const proxied = linksTo(config.proxyBaseUrl ?? config.baseUrl);
  return {
    /** The path prefix of the proxy, without a slash at its end; empty when there is none. */
    prefix: config.proxyBaseUrl ? proxied.path : '',
    of: (cameThroughProxy: boolean): Links => (cameThroughProxy ? proxied : direct),
  };
}
