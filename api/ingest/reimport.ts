import { reimportListings } from '../../shared/ingest/reimport.ts';
import { isAdministrator } from '../http/authenticate.ts';
import type { AuthenticatedHandler } from '../handler.ts';

/** Maps the raw records of the caller's scraped listings again; of everybody's, for an administrator. */
export const reimportRecords: AuthenticatedHandler<'reimportRecords'> = async (services, { body, caller }) => {
  const check = await services.recordCheck();
  const outcome = await reimportListings(
    { ...services, staticUrl: services.config.staticUrl, check },
    { sellerId: isAdministrator(caller) ? undefined : caller.userId, ids: body?.ids, isDry: body?.dry_run ?? false },
  );
  const changed = { listings: 'all' } as const;
  return { status: 200, body: outcome, ...(outcome.changed > 0 && !body?.dry_run && { effects: { changed } }) };
};
