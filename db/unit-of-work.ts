import { CompiledQuery, Kysely, PostgresDialect, PostgresDriver } from 'kysely';
import type { DatabaseConnection, Driver, TransactionSettings } from 'kysely';
import type { Pool } from 'pg';
import type { DB } from './types.gen.ts';

type Database = Kysely<DB>;
type Connection = Pick<DatabaseConnection, 'executeQuery'>;
type OnBegin = (connection: Connection) => Promise<void>;

/** What goes with the first commit of a unit, its own or an autonomous one: `before` writes in that transaction, `after` hears of it. */
export type OnCommit = { before: (connection: Connection) => Promise<void>; after: () => void };

/**
 * Unit of work: the transactions of `db` are one, which lasts until the unit is committed or rolled back. The first begins
 * it, later ones are savepoints in it, and what is read in between sees what they wrote. Until the first, and again when
 * that one fails, `db` is the pool: the unit holds no connection while its owner waits for others, and never more than one.
 */
export type UnitOfWork = {
  db: Database;
  /** Makes all of it durable at once; throws when the database refuses, and nothing of it remains then. */
  commit(): Promise<void>;
  /** Undoes all of it; without a transaction it does nothing. */
  rollback(): Promise<void>;
};

/**
 * Starts a unit of work on a pool. `onBegin` is the first to use its transaction; when it throws, none has begun. `onCommit` is
 * the last to use every transaction that makes something durable; when it throws, nothing of that is.
 */
export function startUnitOfWork(pool: Pool, { onBegin, onCommit }: Hooks): UnitOfWork {
  const inner = onCommit ? new HookedDriver({ pool }, onCommit) : new PostgresDriver({ pool });
  const driver = new UnitDriver(inner, onBegin);
  const db = new UnitDatabase(pool, driver, onCommit);
  return { db, commit: () => driver.end('commit'), rollback: () => driver.end('rollback') };
}

type Hooks = { onBegin?: OnBegin | undefined; onCommit?: OnCommit | undefined };

/** PostgreSQL's driver, but that `onCommit` goes with every commit. */
class HookedDriver extends PostgresDriver {
  readonly #onCommit: OnCommit;

  constructor(config: ConstructorParameters<typeof PostgresDriver>[0], onCommit: OnCommit) {
    super(config);
    this.#onCommit = onCommit;
  }

  override async commitTransaction(connection: DatabaseConnection): Promise<void> {
    await this.#onCommit.before(connection);
    await super.commitTransaction(connection);
    this.#onCommit.after();
  }
}

/** The database of a unit of work, which knows the pool under it. */
class UnitDatabase extends Kysely<DB> {
  readonly #pool: Pool;
  readonly #driver: UnitDriver;
  readonly #onCommit: OnCommit | undefined;

  constructor(pool: Pool, driver: UnitDriver, onCommit: OnCommit | undefined) {
    super({ dialect: new UnitDialect(pool, driver) });
    this.#pool = pool;
    this.#driver = driver;
    this.#onCommit = onCommit;
  }

  outside(): Database {
    if (this.#driver.isOpen) throw new Error('an autonomous transaction would need a second connection');
    const pool = this.#pool;
    return new Kysely<DB>({
      dialect: this.#onCommit
        ? new UnitDialect(pool, new HookedDriver({ pool }, this.#onCommit))
        : new PostgresDialect({ pool }),
    });
  }
}

/**
 * The database for an autonomous transaction, one that is committed by itself: that under the unit of work whose `db` this
 * is, or `db` as it is. It throws when the unit has begun.
 */
export function outsideUnit(db: Database): Database {
  return db instanceof UnitDatabase ? db.outside() : db;
}

class UnitDialect extends PostgresDialect {
  readonly #driver: Driver;

  constructor(pool: Pool, driver: Driver) {
    super({ pool });
    this.#driver = driver;
  }

  override createDriver(): Driver {
    return this.#driver;
  }
}

/** PostgreSQL's driver, but that the connection of the first transaction is held, and used for everything, until the end. */
class UnitDriver implements Driver {
  readonly #inner: Driver;
  readonly #onBegin: OnBegin | undefined;
  #held: DatabaseConnection | undefined;
  #savepoints = 0;

  constructor(inner: Driver, onBegin: OnBegin | undefined) {
    this.#inner = inner;
    this.#onBegin = onBegin;
  }

  get isOpen(): boolean {
    return this.#held !== undefined;
  }

  init(): Promise<void> {
    return this.#inner.init();
  }

  async acquireConnection(): Promise<DatabaseConnection> {
    return this.#held ?? this.#inner.acquireConnection();
  }

  async releaseConnection(connection: DatabaseConnection): Promise<void> {
    if (connection !== this.#held) await this.#inner.releaseConnection(connection);
  }

  async beginTransaction(connection: DatabaseConnection, settings: TransactionSettings): Promise<void> {
    if (connection === this.#held) {
      await run(connection, `savepoint unit_${this.#savepoints + 1}`);
      this.#savepoints += 1;
      return;
    }
    if (this.#held) throw new Error('a unit of work has one transaction at a time');
    await this.#inner.beginTransaction(connection, settings);
    this.#held = connection;
    try {
      await this.#onBegin?.(connection);
    } catch (error) {
      // Whoever began it releases the connection, and knows of no transaction.
      this.#held = undefined;
      await this.#inner.rollbackTransaction(connection);
      throw error;
    }
  }

  /** The transaction itself is committed with the unit. */
  async commitTransaction(connection: DatabaseConnection): Promise<void> {
    if (this.#savepoints === 0) return;
    await run(connection, `release savepoint unit_${this.#savepoints}`);
    this.#savepoints -= 1;
  }

  async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    if (this.#savepoints === 0) {
      this.#held = undefined;
      return this.#inner.rollbackTransaction(connection);
    }
    const name = `unit_${this.#savepoints}`;
    this.#savepoints -= 1;
    await run(connection, `rollback to savepoint ${name}`);
    await run(connection, `release savepoint ${name}`);
  }

  async end(how: 'commit' | 'rollback'): Promise<void> {
    const connection = this.#held;
    if (!connection) return;
    this.#held = undefined;
    try {
      if (how === 'commit') await this.#commit(connection);
      else await this.#inner.rollbackTransaction(connection);
    } finally {
      await this.#inner.releaseConnection(connection);
    }
  }

  /** What the last to use it throws leaves an open transaction, which must not go back to the pool. */
  async #commit(connection: DatabaseConnection): Promise<void> {
    try {
      await this.#inner.commitTransaction(connection);
    } catch (error) {
      await this.#inner.rollbackTransaction(connection);
      throw error;
    }
  }

  /** The pool belongs to others. */
  async destroy(): Promise<void> {}
}

async function run(connection: DatabaseConnection, statement: string): Promise<void> {
  await connection.executeQuery(CompiledQuery.raw(statement));
}
