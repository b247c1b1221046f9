import { inTransaction } from '../../db/client.ts';
import { editMarketplace, type Edit } from '../../shared/marketplace/edit-marketplace.ts';
import type { Marketplace } from '../../shared/catalog/marketplace.ts';
import type { Tx } from '../../shared/queues/jobs.ts';
import type { Caller } from '../http/authenticate.ts';
import type { Result } from '../http/types.ts';
import type { Services } from '../services.ts';

type MarketplaceEdit = Result<'putSettings', 200>;

/**
 * Makes an edit the version in force: at once in this process, which reads it before it answers, and within seconds in every
 * other.
 */
export async function applyEdit(
  services: Services,
  { caller, seen }: { caller: Caller; seen: number | undefined },
  edit: (marketplace: Marketplace, tx: Tx) => Edit | Promise<Edit>,
): Promise<{ body: MarketplaceEdit }> {
  const { db, marketplace } = services;
  const editor = { file: marketplace.file, author: caller.userId, seen };
  // By itself: this process reads the version from here on.
  const edited = await inTransaction(db, (tx) => editMarketplace(tx, services, editor, (state) => edit(state, tx)), {
    autonomous: true,
  });
  await marketplace.refresh();
  return { body: { version: edited.marketplace.version, changed: edited.changed, run_id: edited.runId } };
}
