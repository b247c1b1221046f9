import ipaddr from 'ipaddr.js';

const MAX_REMEMBERED = 10_000;

/**
 * Tells the network that a budget belongs to, remembering it for the addresses of late: IPv4 whole (also when mapped into
 * IPv6), IPv6 by its /64, which one customer holds.
 */
export function createClientNetworks(): (address: string | undefined) => string {
  const known = new Map<string, string>();
  return (address = '') => {
    let network = known.get(address);
    if (network === undefined) {
      network = clientNetwork(address);
      if (known.size >= MAX_REMEMBERED) known.clear();
      known.set(address, network);
    }
    return network;
  };
}

/** The network of one address. */
function clientNetwork(address: string): string {
  if (!ipaddr.isValid(address)) return 'unknown';
  const ip = ipaddr.process(address);
  if (ip.kind() === 'ipv4') return ip.toString();
  const parts = (ip as ipaddr.IPv6).parts.slice(0, 4).map((part) => part.toString(16));
  return `${parts.join(':')}::/64`;
}
