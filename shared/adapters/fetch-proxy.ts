import { isIP, type LookupFunction, type Socket } from 'node:net';
import { callbackify, promisify } from 'node:util';
import type { Agent, buildConnector } from 'undici';
import { normaliseHost } from '../kit/allow-list.ts';
import { blockedAddress, createSafeLookup, FetchError, isPublicAddress, portOf } from './fetch-guard.ts';

export type ConnectionGuard = {
  /** Hosts and networks that targets may be on although they are not public. */
  allow: string[];
  lookup: LookupFunction | undefined;
  connectWithinMs: number;
};
type ProxySettings = ConnectionGuard & {
  /** The same for proxies. */
  proxyAllow: string[];
  connections: number;
};
type Connector = ReturnType<typeof buildConnector>;
type Target = Parameters<Connector>[0];

/**
 * An agent whose connections go through an HTTP proxy by CONNECT, also those to http: targets. The target is looked up and
 * vetted here, and the proxy is told the address that was vetted: no name reaches it that it could look up otherwise. What the
 * proxy does wrong is a FetchError `proxy`; its credentials are in no message.
 */
export async function startProxiedAgent(proxyUrl: string, settings: ProxySettings): Promise<Agent> {
  const { Agent: UndiciAgent, buildConnector: build, Pool } = await import('undici');
  const { allow, proxyAllow, connections, lookup, connectWithinMs } = settings;
  const { origin, host, username, password } = new URL(proxyUrl);
  const credentials = Buffer.from(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`);
  const headers = { ...(username !== '' && { 'proxy-authorization': `Basic ${credentials.toString('base64')}` }) };
  const proxy = new Pool(origin, {
    allowH2: false,
    headersTimeout: connectWithinMs,
    connect: guardConnector(build, { allow: proxyAllow, lookup, connectWithinMs }),
  });
  const secure = promisify(build({ allowH2: false, timeout: connectWithinMs }));

  async function connect(target: Target): Promise<Socket> {
    const port = portOf(target);
    const address = await vetAddress(normaliseHost(target.hostname), port, allow, lookup);
    const socket = await openTunnel(`${isIP(address) === 6 ? `[${address}]` : address}:${port}`);
    return target.protocol === 'https:' ? ((await secure({ ...target, httpSocket: socket })) as Socket) : socket;
  }

  async function openTunnel(path: string): Promise<Socket> {
    try {
      const { statusCode, socket } = await proxy.connect({ path, headers: { ...headers, host: path } });
      if (statusCode === 200) return socket as Socket;
      socket.on('error', () => undefined).destroy();
      throw new FetchError('proxy', `The proxy ${host} answered ${statusCode}.`, { retryable: true });
    } catch (error) {
      if (error instanceof FetchError) throw error;
      const reason = error instanceof Error && 'code' in error ? String(error.code) : 'no answer';
      throw new FetchError('proxy', `The proxy ${host} cannot be used (${reason}).`, { cause: error, retryable: true });
    }
  }

  const connectAsync = callbackify(connect);
  return new UndiciAgent({
    connections,
    allowH2: false,
    connect: (target, callback) =>
      connectAsync(target, (error, socket) => (error ? callback(error, null) : callback(null, socket))),
  });
}

/** Connects to public or allowed addresses only. */
export function guardConnector(
  build: typeof buildConnector,
  { allow, lookup, connectWithinMs }: ConnectionGuard,
): Connector {
  return (options, callback) => {
    const host = normaliseHost(options.hostname);
    const port = portOf(options);
    if (isIP(host) && !isPublicAddress(host, allow, port)) return callback(blockedAddress(), null);
    const safeLookup = createSafeLookup(allow, port, lookup);
    build({ allowH2: false, timeout: connectWithinMs, lookup: safeLookup })(options, callback);
  };
}

/** The first public or allowed address of a host; throws a FetchError when it has none. */
async function vetAddress(
  host: string,
  port: number,
  allow: string[],
  lookup: LookupFunction | undefined,
): Promise<string> {
  if (isIP(host)) {
    if (isPublicAddress(host, allow, port)) return host;
    throw blockedAddress();
  }
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  createSafeLookup(allow, port, lookup)(host, { all: false }, (error, address) =>
    error ? reject(error) : resolve(address as string),
  );
  return promise;
}
