import { Query, type Client, type ClientConfig, type Connection } from 'pg';
import { TracedClient } from './traced-client.ts';

type Callback = (error: Error | null, result?: unknown) => void;

/** What of pg's query its own clients and cursors use, and its types leave out. */
interface WireQuery {
  text: string;
  name: string | undefined;
  callback: Callback | undefined;
  submit(connection: Connection): Error | null;
  requiresPreparation(): boolean;
  prepare(connection: Connection): void;
  handleDataRow(message: object): void;
  handleCommandComplete(message: object, connection: Connection): void;
}
interface WireConnection extends Connection {
  parse(query: { text: string }): void;
  bind(config: object): void;
  execute(config: object): void;
}
interface WireClient extends Omit<Client, 'query'> {
  query(query: unknown, values?: unknown, callback?: unknown): unknown;
}

const BaseQuery = Query as unknown as new (config: unknown, values: unknown, callback: unknown) => WireQuery;
const BaseClient = TracedClient as unknown as new (config?: ClientConfig) => WireClient;

/** Settings by name, as they are set at the begin of each transaction: in a script, and as a statement beside another. */
type Limits = { script: string; scriptLength: number; statement: string };

/**
 * Clients for connections that a pooler hands out for one transaction each (PgBouncer's pool_mode=transaction): nothing is left in
 * a session and nothing is expected there. Statements are not named, and the settings (such as statement_timeout) come with each
 * transaction, a single statement being one of its own: they travel with its first message, so that they cost no round trip.
 */
export function pooledClient(settings: Record<string, number | string>): new (config?: ClientConfig) => Client {
  const entries = Object.entries(settings);
  const limits = {
    script: entries.map(([name, value]) => `set local ${name} = ${value};`).join(' '),
    scriptLength: entries.length,
    statement: `select ${entries.map(([name, value]) => `set_config('${name}', '${value}', true)`).join(', ')}`,
  };
  return class extends BaseClient {
    override query(config: unknown, values?: unknown, callback?: unknown): unknown {
      if (typeof (config as Partial<WireQuery> | null)?.submit === 'function')
        return super.query(config, values, callback);
      const query = new LimitedQuery(limits, () => this.getTransactionStatus() === 'I', [config, values, callback]);
      if (query.callback) {
        super.query(query);
        return undefined;
      }
      return this.#promise(query);
    }

    async #promise(query: LimitedQuery): Promise<unknown> {
      const { promise, resolve, reject } = Promise.withResolvers<unknown>();
      query.callback = (error, result) => (error ? reject(error) : resolve(result));
      super.query(query);
      return promise.catch((error: unknown) => {
        // The stack leads to whoever asked, as pg's own does, and not to the socket.
        if (error instanceof Error) Error.captureStackTrace(error);
        throw error;
      });
    }
  } as unknown as new (config?: ClientConfig) => Client;
}

/** A query without a name that begins its transaction with the limits, and keeps their results to itself. */
class LimitedQuery extends BaseQuery {
  readonly #limits: Limits;
  readonly #isFirst: () => boolean;
  /** How many results are still to come before those of the query. */
  #ahead = 0;

  constructor(limits: Limits, isFirst: () => boolean, given: readonly [unknown, unknown, unknown]) {
    super(...given);
    this.#limits = limits;
    this.#isFirst = isFirst;
    this.name = undefined;
  }

  override submit(connection: Connection): Error | null {
    if (this.#isFirst() && typeof this.text === 'string' && !this.requiresPreparation()) {
      // SET takes no snapshot: `begin isolation level …` may follow it, and makes one transaction of both.
      this.text = `${this.#limits.script} ${this.text}`;
      this.#ahead = this.#limits.scriptLength;
    }
    return super.submit(connection);
  }

  /** The messages up to the next Sync are one transaction; and SET LOCAL is warned of there, set_config is not. */
  override prepare(connection: Connection): void {
    if (this.#isFirst()) {
      const wire = connection as WireConnection;
      wire.parse({ text: this.#limits.statement });
      wire.bind({});
      wire.execute({});
      this.#ahead = 1;
    }
    super.prepare(connection);
  }

  override handleDataRow(message: object): void {
    if (this.#ahead === 0) super.handleDataRow(message);
  }

  override handleCommandComplete(message: object, connection: Connection): void {
    if (this.#ahead > 0) this.#ahead -= 1;
    else super.handleCommandComplete(message, connection);
  }
}
