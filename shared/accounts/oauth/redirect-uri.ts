const MAX_REDIRECT_URI = 500;

/** A loopback address over http, up to its port (RFC 8252, 7.3). */
const loopback = /^(http:\/\/(?:127\.0\.0\.1|\[::1\]|localhost))(?::\d{1,5})?(?=[/?]|$)/;

/** Schemes that a browser handles itself: none of them leads to an application. */
const browserSchemes = new Set(
  'about blob chrome content data file filesystem ftp intent jar javascript mailto sms tel vbscript view-source ws wss'.split(
    ' ',
  ),
);

/** Whether a client may register the address: https, http on loopback, or a scheme of its own; no fragment, no credentials. */
export function isRedirectUri(uri: string): boolean {
  if (uri.length > MAX_REDIRECT_URI || !/^[\x21-\x7e]+$/.test(uri) || uri.includes('#') || uri.includes('\\'))
    return false;
  if (!URL.canParse(uri)) return false;
  const { protocol, username, password, hostname } = new URL(uri);
  if (username !== '' || password !== '') return false;
  if (protocol === 'https:') return hostname !== '';
  if (protocol === 'http:') return loopback.test(uri);
  return !browserSchemes.has(protocol.slice(0, -1));
}

/** Whether an address is one of those registered: character by character, but for the port on loopback. */
export function matchesRedirectUri(registered: readonly string[], given: string): boolean {
  if (registered.includes(given)) return true;
  if (!loopback.test(given) || !isRedirectUri(given)) return false;
  const withoutPort = (uri: string) => uri.replace(loopback, '$1');
  return registered.some((uri) => loopback.test(uri) && withoutPort(uri) === withoutPort(given));
}

/** Where an address leads, as people are told: a host, this computer (loopback), or the scheme of an application. */
export function describeRedirectUri(uri: string): { kind: 'host' | 'loopback' | 'app'; name: string } {
  if (loopback.test(uri)) return { kind: 'loopback', name: new URL(uri).host };
  const { protocol, host } = new URL(uri);
  return protocol === 'https:' ? { kind: 'host', name: host } : { kind: 'app', name: protocol.slice(0, -1) };
}
