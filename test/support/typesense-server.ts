import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { accept, describe, type Collection, type Document, type FieldSchema } from './typesense/collection.ts';
import { readFilter, Refusal } from './typesense/filter.ts';
import {
  forbidden,
  JSON_TYPE,
  missing,
  noStats,
  ok,
  parse,
  pick,
  send,
  sleep,
  stringify,
  unready,
  type Reply,
} from './typesense/http.ts';
import { createReplay } from './typesense/replay.ts';
import { search, type Parameters, type WordSets } from './typesense/search.ts';

/** What becomes of requests. A slow answer comes after ten seconds, a late one after so many milliseconds. */
export type Mood =
  | 'well'
  | 'down'
  | 'slow'
  | 'lagging'
  | 'cut'
  | 'no JSON'
  | 'half an answer'
  | { until: Promise<unknown> };

export type TypesenseServer = {
  /** What TYPESENSE_URL would be. */
  url: string;
  key: string;
  collections: Map<string, Collection>;
  aliases: Map<string, string>;
  /** Method and path of every request that came. */
  requests: string[];
  feel(mood: Mood): void;
  /** Documents that are refused, whatever they hold. */
  refuse(...ids: string[]): void;
  /** Documents of what an alias stands for. */
  documents(alias: string): Document[];
  /**
   * Ends every connection and forgets everything, as a process does that is killed, and begins to replay its log: it is in good
   * health meanwhile. Writes are queued by the name that they were sent with, and one for all aliases; no order holds between
   * queues, so that `first` says whose writes come before all others.
   */
  restart(first?: 'aliases' | 'collections'): void;
  /** Replays so many writes, or all that are left. */
  replay(count?: number): void;
  close(): Promise<void>;
};

type Input = { method: string; parts: string[]; query: URLSearchParams; text: string };

const SLOW_MS = 10_000;

/** A server on 127.0.0.1 that speaks Typesense's protocol, as far as a marketplace needs it, with every fault it may have. */
export async function startTypesenseServer(): Promise<TypesenseServer> {
  const key = 'a key of the tests';
  const collections = new Map<string, Collection>();
  const aliases = new Map<string, string>();
  const requests: string[] = [];
  const refused = new Set<string>();
  const words: WordSets = { synonyms: new Map(), stopWords: new Map() };
  const log = createReplay<Input, Reply>((input) => replyTo(input));
  let mood: Mood = 'well';

  function collectionOf(name: string): Collection {
    const found = collections.get(aliases.get(name) ?? name);
    if (!found) throw new Refusal(404, 'Not found.');
    return found;
  }

  function route({ method, parts, query, text }: Input): Reply {
    const [first, name = '', inner, id] = parts;
    const at = `${method} ${first}${parts.length > 1 ? '/*' : ''}${inner === undefined ? '' : `/${inner}`}${id === undefined ? '' : '/*'}`;
    switch (at) {
      case 'GET stats.json':
        return ok(noStats);
      case 'GET debug':
        return ok({ state: 1, version: '30.0' });
      case 'GET collections':
        return ok([...collections.values()].map(describe));
      case 'POST collections':
        return create(parse(text) as Partial<Collection> & { fields: FieldSchema[] });
      case 'GET collections/*':
        return ok(describe(collectionOf(name)));
      case 'DELETE collections/*': {
        const gone = collectionOf(name);
        collections.delete(gone.name);
        return ok(describe(gone));
      }
      case 'GET aliases':
        return ok({ aliases: [...aliases].map(([alias, target]) => ({ collection_name: target, name: alias })) });
      case 'GET aliases/*':
        if (!aliases.has(name)) throw new Refusal(404, 'Not found.');
        return ok({ collection_name: aliases.get(name), name });
      case 'PUT aliases/*': {
        const { collection_name: target } = parse(text) as { collection_name: string };
        aliases.set(name, target);
        return ok({ collection_name: target, name });
      }
      case 'PUT synonym_sets/*': {
        const { items } = parse(text) as { items: { id: string; synonyms: string[]; root?: string }[] };
        words.synonyms.set(name, items);
        return ok({ items: items.map((item) => ({ root: '', ...item })), name });
      }
      case 'PUT stopwords/*': {
        const { stopwords } = parse(text) as { stopwords: string[] };
        words.stopWords.set(name, stopwords);
        return ok({ id: name, stopwords });
      }
      case 'POST multi_search':
        return ok({
          results: (parse(text) as { searches: Parameters[] }).searches.map((each) => searchOne(each, query)),
        });
      default:
        return inner === 'documents' ? routeDocuments(collectionOf(name), method, id, query, text) : missing();
    }
  }

  function routeDocuments(
    collection: Collection,
    method: string,
    id: string | undefined,
    query: URLSearchParams,
    text: string,
  ): Reply {
    const { documents } = collection;
    const filter = readFilter(query.get('filter_by') ?? '', collection);
    if (method === 'GET' && id === 'search') return ok(search(collection, Object.fromEntries(query), words));
    if (method === 'GET' && id === 'export') {
      const fields = query.get('include_fields')?.split(',');
      const lines = [...documents.values()].filter(filter).map((document) => pick(document, fields));
      return { status: 200, type: 'text/plain; charset=utf-8', body: lines.map(stringify).join('\n') };
    }
    if (method === 'POST' && id === 'import') return importLines(collection, query, text);
    if (method === 'POST' && id === undefined) {
      const stored = store(collection, parse(text), query);
      if ('status' in stored && typeof stored.status === 'number')
        throw new Refusal(stored.status, String(stored['message']));
      return { status: 201, body: stored };
    }
    if (id === undefined && (method === 'DELETE' || method === 'PATCH')) {
      const found = [...documents.values()].filter(filter);
      if (method === 'DELETE') {
        for (const document of found) documents.delete(document.id);
        return { status: 200, type: 'application/json', body: { num_deleted: found.length } };
      }
      for (const document of found) Object.assign(document, parse(text));
      return ok({ num_updated: found.length });
    }
    const document = id === undefined ? undefined : documents.get(decodeURIComponent(id));
    if (!document) throw new Refusal(404, `Could not find a document with id: ${id}`);
    if (method === 'PATCH') Object.assign(document, parse(text));
    if (method === 'DELETE') documents.delete(document.id);
    return ok(document);
  }

  function create(given: Partial<Collection> & { fields: FieldSchema[] }): Reply {
    const { name = '', fields } = given;
    if (collections.has(name)) throw new Refusal(409, `A collection with name \`${name}\` already exists.`);
    const unnecessary = fields.find((field) => field.index === false && field.optional !== true);
    if (unnecessary) throw new Refusal(400, `Field \`${unnecessary.name}\` must be optional since it is not indexed.`);
    const { enable_nested_fields: nested, default_sorting_field: sorting } = given as Record<string, unknown>;
    const collection: Collection = {
      name,
      fields,
      createdAt: 1_795_248_658,
      nested: nested === true,
      defaultSortingField: typeof sorting === 'string' ? sorting : '',
      documents: new Map(),
    };
    collections.set(name, collection);
    return { status: 201, body: describe(collection) };
  }

  function importLines(collection: Collection, query: URLSearchParams, text: string): Reply {
    const lines = text.split('\n').map((line) => {
      let given: unknown;
      try {
        given = parse(line);
      } catch {
        return { code: 400, error: 'Bad JSON.', success: false };
      }
      const stored = store(collection, given, query);
      if (!('message' in stored)) return { success: true };
      return { code: stored['status'], error: stored['message'], success: false };
    });
    return { status: 200, type: 'text/plain; charset=utf-8', body: lines.map(stringify).join('\n') };
  }

  function store(collection: Collection, given: unknown, query: URLSearchParams) {
    const document = accept(collection, given, query.get('dirty_values') !== 'reject');
    if (!('id' in document)) return document as never as Document;
    if (refused.has(document.id))
      return { status: 400, message: 'Field `title` is not liked today.' } as never as Document;
    collection.documents.set(document.id, document);
    return document;
  }

  function searchOne(parameters: Parameters, common: URLSearchParams): object {
    const all = { ...parameters, ...Object.fromEntries(common) };
    const collection = collections.get(aliases.get(String(all['collection'])) ?? String(all['collection']));
    if (!collection) return { code: 404, error: 'Collection not found' };
    try {
      return search(collection, all, words);
    } catch (error) {
      if (error instanceof Refusal) return { code: error.status, error: error.message };
      throw error;
    }
  }

  async function answer(message: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(message.url ?? '/', 'http://localhost');
    requests.push(`${message.method} ${url.pathname}`);
    const input = {
      method: message.method ?? '',
      parts: url.pathname.split('/').filter(Boolean),
      query: url.searchParams,
      text: (await message.toArray()).map(String).join(''),
    };
    if (mood === 'down') return void message.socket.destroy();
    if (mood === 'slow') await sleep(SLOW_MS, response);
    if (typeof mood === 'object') await mood.until;
    if (response.destroyed) return;
    if (url.pathname === '/health') return send(response, mood === 'lagging' ? unready : ok({ ok: true }));
    if (mood === 'lagging') return send(response, unready);
    if (message.headers['x-typesense-api-key'] !== key) return send(response, forbidden);
    const reply = isWrite(input) ? await log.write(queueOf(input), input) : replyTo(input);
    const bytes = Buffer.from(typeof reply.body === 'string' ? reply.body : stringify(reply.body));
    if (mood === 'no JSON')
      return send(response, { status: 200, body: '<html>Welcome to the proxy</html>', type: 'text/html' });
    if (mood === 'half an answer') return send(response, ok({ results: [{ hits: [] }] }));
    if (mood === 'cut') {
      response.writeHead(reply.status, { 'Content-Type': JSON_TYPE, 'Content-Length': bytes.length });
      response.write(bytes.subarray(0, bytes.length >> 1));
      response.destroy();
      return;
    }
    send(response, reply);
  }

  function replyTo(input: Input): Reply {
    try {
      return route(input);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      return { status: error.status, body: { message: error.message } };
    }
  }

  const server = createServer((message, response) => void answer(message, response).catch(() => response.destroy()));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    key,
    collections,
    aliases,
    requests,
    feel(next) {
      mood = next;
    },
    refuse(...ids) {
      refused.clear();
      for (const id of ids) refused.add(id);
    },
    restart(first = 'aliases') {
      server.closeAllConnections();
      collections.clear();
      aliases.clear();
      words.synonyms.clear();
      words.stopWords.clear();
      log.restart(first === 'aliases' ? [ALIASES] : [], first === 'aliases' ? [] : [ALIASES]);
    },
    replay: (count) => log.replay(count),
    documents: (alias) => [...(collections.get(aliases.get(alias) ?? alias)?.documents.values() ?? [])],
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const ALIASES = '';

/** Writes go into the log; searches, and looks at what there is, do not. */
const isWrite = ({ method, parts }: Input) => method !== 'GET' && parts[0] !== 'multi_search';

/** The queue of a write: the name of its collection as it was sent; aliases and word sets have one for all. */
function queueOf({ parts, text }: Input): string {
  if (parts[0] !== 'collections') return ALIASES;
  return parts[1] ?? /"name"\s*:\s*"(?<name>[^"]+)"/.exec(text)?.groups?.['name'] ?? ALIASES;
}
