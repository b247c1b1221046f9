import ipaddr from 'ipaddr.js';
import { LRUCache } from 'lru-cache';

const MAX_REMEMBERED = 10_000;

/**
 * Tells the network that a budget belongs to, remembering it for the addresses of late: IPv4 whole (also when mapped into
 * IPv6), IPv6 by its /64, which one customer holds.
 */
export function createClientNetworks(): (address: string | undefined) => string {
  const known = new LRUCache<string, string>({ max: MAX_REMEMBERED, memoMethod: clientNetwork });
  return (address = '') => known.memo(address);
}

/** The network of one address. */
function clientNetwork(address: string): string {
  if (!ipaddr.isValid(address)) return 'unknown';
  const ip = ipaddr.process(address);
  if (ip.kind() === 'ipv4') return ip.toString();
  const parts = (ip as ipaddr.IPv6).parts.slice(0, 4).map((part) => part.toString(16));
  return `${parts.join(':')}::/64`;
}
