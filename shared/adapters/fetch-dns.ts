import { lookup as systemLookup, promises, type LookupAddress } from 'node:dns';
import { readFileSync } from 'node:fs';
import { isIP, type LookupFunction } from 'node:net';

const HOSTS_FILE = '/etc/hosts';
const resolver = new promises.Resolver({ timeout: 2_000, tries: 2 });

/**
 * A `dns.lookup` that asks the name servers without a thread: the system's own holds one of four threads until it knows,
 * and a few dead names would stop images and files. The hosts file counts first; a name without a dot is the system's.
 */
export const lookupWithoutThreads: LookupFunction = (hostname, options, callback) => {
  if (!hostname.includes('.') && isIP(hostname) === 0) systemLookup(hostname, options, callback);
  else void answer(hostname, options, callback);
};

async function answer(...[hostname, options, callback]: Parameters<LookupFunction>): Promise<void> {
  const found = await findAddresses(hostname).catch((error: NodeJS.ErrnoException) => error);
  if (found instanceof Error) return callback(found, []);
  const addresses = found.filter(({ family }) => !options.family || options.family === family);
  const [first] = addresses;
  if (!first) callback(notFound(hostname), []);
  else if (options.all) callback(null, addresses);
  else callback(null, first.address, first.family);
}

async function findAddresses(hostname: string): Promise<LookupAddress[]> {
  if (isIP(hostname) !== 0) return [toAddress(hostname)];
  const listed = readHosts().get(hostname.toLowerCase());
  if (listed) return listed.map(toAddress);
  const answers = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
  const addresses = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
  const [failure] = answers.flatMap((answer) => (answer.status === 'rejected' ? [answer.reason as Error] : []));
  if (addresses.length === 0) throw failure ?? notFound(hostname);
  return addresses.map(toAddress);
}

/** The names of the hosts file with their addresses; none where there is no such file. */
function readHosts(): Map<string, string[]> {
  const names = new Map<string, string[]>();
  for (const line of readHostLines()) {
    const [address = '', ...hosts] = line.replace(/#.*/, '').trim().toLowerCase().split(/\s+/);
    if (isIP(address) !== 0) for (const host of hosts) names.set(host, [...(names.get(host) ?? []), address]);
  }
  return names;
}

function readHostLines(): string[] {
  try {
    return readFileSync(HOSTS_FILE, 'utf8').split('\n');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

const toAddress = (address: string): LookupAddress => ({ address, family: isIP(address) });

const notFound = (hostname: string) =>
  Object.assign(new Error(`getaddrinfo ENOTFOUND ${hostname}`), { code: 'ENOTFOUND' });
