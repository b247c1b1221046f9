import ipaddr from 'ipaddr.js';

/** The address a budget belongs to: IPv4 whole (also when mapped into IPv6), IPv6 by its /64, which one customer holds. */
export function clientNetwork(address = ''): string {
  let network = known.get(address);
  if (network === undefined) {
    network = networkOf(address);
    if (known.size >= MOST_KNOWN) known.clear();
    known.set(address, network);
  }
  return network;
}

const MOST_KNOWN = 10_000;
const known = new Map<string, string>();

function networkOf(address: string): string {
  if (!ipaddr.isValid(address)) return 'unknown';
  const ip = ipaddr.process(address);
  if (ip.kind() === 'ipv4') return ip.toString();
  const parts = (ip as ipaddr.IPv6).parts.slice(0, 4).map((part) => part.toString(16));
  return `${parts.join(':')}::/64`;
}
