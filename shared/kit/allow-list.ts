import ipaddr from 'ipaddr.js';

/** One entry of a list of hosts, addresses and CIDRs, each with an optional port. */
export type AllowRule =
  | { port: number | undefined; host: string }
  | { port: number | undefined; address: string; bits: number };

/** A host as it is looked up: lower case, no brackets around IPv6, no trailing dot. */
export const normaliseHost = (hostname: string) => hostname.toLowerCase().replace(/^\[|\]$|\.$/g, '');

/** True for what may stand in a list of hosts and addresses that are allowed. */
export function isAllowEntry(entry: string): boolean {
  try {
    return readRules([entry]).every((rule) => 'address' in rule || /^[a-z0-9._-]+$/.test(rule.host));
  } catch {
    return false;
  }
}

/** An entry is a host, an address or a CIDR, each with an optional `:port` (IPv6 then in brackets); a bad one throws. */
export function readRules(allow: string[]): AllowRule[] {
  return allow.map((entry) => {
    const [, host = entry, portText] = /^\[([^\]]+)\](?::(\d+))?$/.exec(entry) ?? /^([^:[]+):(\d+)$/.exec(entry) ?? [];
    const port = portText ? Number(portText) : undefined;
    const [base = '', bits] = host.split('/');
    if (!ipaddr.isValid(base)) return { port, host: normaliseHost(host) };
    const address = ipaddr.process(base);
    const length = address.kind() === 'ipv4' ? 32 : 128;
    const prefix = bits === undefined ? length : Number(bits);
    if (!(Number.isInteger(prefix) && prefix >= 0 && prefix <= length)) throw new Error(`'${entry}' is not a CIDR`);
    return { port, address: address.toString(), bits: prefix };
  });
}

/** True when the rule holds for this port. */
export const fitsPort = (rule: AllowRule, port: number | undefined) => rule.port === undefined || rule.port === port;

/** True when the rule names this host, by its name or by its address. */
export function namesHost(rule: AllowRule, host: string): boolean {
  if ('host' in rule) return rule.host === host;
  return ipaddr.isValid(host) && contains(rule, ipaddr.process(host));
}

/** True when the address lies in the network of the rule. */
export function contains(rule: { address: string; bits: number }, address: ipaddr.IPv4 | ipaddr.IPv6): boolean {
  const base = ipaddr.parse(rule.address);
  return base.kind() === address.kind() && address.match(base, rule.bits);
}
