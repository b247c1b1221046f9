/** True for an HTTP proxy: http(s), a host, maybe a port, maybe a user and a password (percent-encoded), and nothing else. */
export function isProxyUrl(text: string): boolean {
  const url = URL.parse(text);
  if (!url || !/^https?:$/.test(url.protocol) || url.hostname === '') return false;
  return url.pathname === '/' && url.search === '' && url.hash === '' && isEncoded(url.username + url.password);
}

/** A proxy as it may be shown. */
export const withoutCredentials = (proxyUrl: string): string => new URL(proxyUrl).origin;

/** The proxies of a change, with the credentials that are known of those that come back as they are shown. */
export function keepCredentials(proxyUrls: readonly string[], known: readonly string[]): string[] {
  const kept = new Map(known.map((url) => [withoutCredentials(url), url]));
  return proxyUrls.map((url) => (new URL(url).username === '' ? (kept.get(withoutCredentials(url)) ?? url) : url));
}

function isEncoded(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}
