import { sql } from 'kysely';
import type { Tx } from '../queues/jobs.ts';

const COMPARING = 5_163_880_224;

/** Serialises batches of comparisons by an advisory lock, held to the end of the transaction. */
export const lockDedup = (tx: Tx) => sql`select pg_advisory_xact_lock(${COMPARING})`.execute(tx);
