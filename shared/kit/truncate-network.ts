/** The network of a client without what tells one household from the next: no last byte of IPv4, 48 bits of IPv6. */
export function truncateNetwork(network: string): string {
  if (network.includes(':')) return `${network.split(':', 3).join(':')}::`;
  return network.includes('.') ? `${network.slice(0, network.lastIndexOf('.'))}.0` : network;
}
