import { CompiledQuery } from 'kysely';
import { yieldOften } from '../kit/turns.ts';
import type { Tx } from '../queues/jobs.ts';

/** Runs one statement in the transaction. */
export async function runStatement<Row>(tx: Tx, text: string, values: unknown[]): Promise<Row[]> {
  const { rows } = await tx.executeQuery<Row>(CompiledQuery.raw(text, values));
  return rows;
}

/** Characters of JSON per statement at most: serialising more at once blocks the event loop. */
const MAX_STATEMENT_LENGTH = 1_000_000;

/** Runs a statement over a recordset (its first value) in batches, so that the event loop is free in between. */
export async function runInBatches<Row>(
  tx: Tx,
  text: string,
  rows: readonly object[],
  values: readonly unknown[],
): Promise<Row[]> {
  const goOn = yieldOften();
  const found: Row[] = [];
  let batch: string[] = [];
  let length = 0;
  const write = async () => {
    if (batch.length > 0) found.push(...(await runStatement<Row>(tx, text, [`[${batch.join(',')}]`, ...values])));
    batch = [];
    length = 0;
  };
  for (const row of rows) {
    await goOn();
    const json = JSON.stringify(row);
    if (length + json.length > MAX_STATEMENT_LENGTH) await write();
    batch.push(json);
    length += json.length;
  }
  await write();
  return found;
}
