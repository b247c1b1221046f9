import { CompiledQuery } from 'kysely';
import { yieldOften } from '../kit/turns.ts';
import type { Tx } from '../queues/jobs.ts';

/** Runs one statement in the transaction. */
export async function runStatement<Row>(tx: Tx, text: string, values: unknown[]): Promise<Row[]> {
  const { rows } = await tx.executeQuery<Row>(CompiledQuery.raw(text, values));
  return rows;
}

/** Bytes of rows in one statement: what is made into JSON and sent at once holds the event loop. */
const MAX_STATEMENT_LENGTH = 1_000_000;

/** As `run`, of a statement whose first value is a recordset: so many rows at a time that other requests go on in between. */
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
