import { sql } from 'kysely';
import type { Tx } from '../queues/jobs.ts';

const COMPARING = 5_163_880_224;

/** One batch of comparing at a time, until its transaction ends: none judges by what another is about to change. */
export const lockDedup = (tx: Tx) => sql`select pg_advisory_xact_lock(${COMPARING})`.execute(tx);
