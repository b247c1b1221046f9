import ipaddr from 'ipaddr.js';
import { isIP, type LookupFunction } from 'node:net';
import { contains, fitsPort, namesHost, normaliseHost, readRules } from '../kit/allow-list.ts';
import { lookupWithoutThreads } from './fetch-dns.ts';

export type FetchReason =
  | 'blocked_address'
  | 'blocked_scheme'
  | 'blocked_port'
  | 'too_large'
  | 'timeout'
  | 'too_many_redirects'
  | 'network'
  | 'proxy'
  | 'bad_url';

/** A fetch that was refused or failed; `retryable` tells whether the same request may succeed later. */
export class FetchError extends Error {
  readonly reason: FetchReason;
  readonly retryable: boolean;

  constructor(reason: FetchReason, message: string, options: { cause?: unknown; retryable?: boolean } = {}) {
    super(message, { cause: options.cause });
    this.name = 'FetchError';
    this.reason = reason;
    this.retryable = options.retryable ?? (reason === 'timeout' || reason === 'network');
  }
}

const givenOutIpv6 = ipaddr.parseCIDR('2000::/3');
const usualPorts = new Set([80, 443]);
/** Services above port 1024 that answer to a line of text, so that a URL could talk to them. */
const servicePorts = new Set([
  1080, 1433, 1521, 2049, 2375, 2376, 2379, 3306, 3389, 5060, 5061, 5432, 5672, 5900, 6000, 6379, 6667, 6697, 9042,
  9200, 9300, 10_080, 11_211, 27_017,
]);
const localNames = /(^|\.)(localhost|local|internal|intranet|lan|home\.arpa)$/;

/** True for an address of the public internet, or one that an entry of `allow` names for this port (any, if omitted there). */
export function isPublicAddress(ip: string, allow: string[], port?: number): boolean {
  if (!ipaddr.isValid(ip)) return false;
  const address = ipaddr.process(ip);
  // ipaddr.js counts ::/96 (embedded IPv4) as unicast; only 2000::/3 of IPv6 was ever given out.
  const isGivenOut = address.kind() === 'ipv4' || address.match(givenOutIpv6);
  return (
    (address.range() === 'unicast' && isGivenOut) ||
    readRules(allow).some((rule) => 'address' in rule && fitsPort(rule, port) && contains(rule, address))
  );
}

/**
 * Parses the text as an http(s) URL without credentials whose port, and whose host as far as its spelling tells, is
 * public or allowed; throws a FetchError otherwise. What the name resolves to is vetted by the lookup when connecting.
 */
export function assertPublicUrl(text: string, allow: string[]): URL {
  const url = URL.parse(text);
  if (!url) throw new FetchError('bad_url', 'This is not a valid URL.');
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw new FetchError('blocked_scheme', 'Only http and https URLs are fetched.');
  }
  if (url.username || url.password) throw new FetchError('bad_url', 'A URL may not carry credentials.');
  const host = normaliseHost(url.hostname);
  if (host === '') throw new FetchError('bad_url', 'This is not a valid URL.');
  const port = portOf(url);
  if (readRules(allow).some((rule) => fitsPort(rule, port) && namesHost(rule, host))) return url;
  if (isIP(host) ? !isPublicAddress(host, []) : localNames.test(host)) throw blockedAddress();
  if ((port < 1024 && !usualPorts.has(port)) || servicePorts.has(port)) {
    throw new FetchError('blocked_port', `Port ${port} is not fetched.`);
  }
  return url;
}

/**
 * A `dns.lookup` for undici, got and node:http that answers only public or allowed addresses, and fails with a FetchError
 * `blocked_address` when there are none. Node never looks up IP literals: those need `assertPublicUrl` as well.
 * Entries of `allow` that carry a port count only where the port is given.
 */
export function createSafeLookup(
  allow: string[],
  port?: number,
  lookup: LookupFunction = lookupWithoutThreads,
): LookupFunction {
  const rules = readRules(allow).filter((rule) => fitsPort(rule, port));
  return (hostname, options, callback) => {
    const isAllowedName = rules.some((rule) => namesHost(rule, normaliseHost(hostname)));
    lookup(hostname, { ...options, all: true }, (error, found) => {
      if (error) return callback(error, []);
      const addresses = (Array.isArray(found) ? found : []).filter(
        ({ address }) => isAllowedName || isPublicAddress(address, allow, port),
      );
      const [first] = addresses;
      if (!first) return callback(blockedAddress(), []);
      if (options.all) callback(null, addresses);
      else callback(null, first.address, first.family);
    });
  };
}

/** The refusal of an address that is neither public nor allowed. */
export const blockedAddress = () => new FetchError('blocked_address', 'This URL points at a private address.');

/** The port of a URL, or of what else has its parts. */
export const portOf = (url: { port: string; protocol: string }) =>
  Number(url.port) || (url.protocol === 'https:' ? 443 : 80);
