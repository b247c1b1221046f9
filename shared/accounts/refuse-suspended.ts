import type { Database } from '../../db/client.ts';
import type { Config } from '../kit/config.ts';
import { ServiceError } from '../kit/errors.ts';
import { findTokenOwner, type Purpose } from './account-tokens.ts';
import { findSuspension } from './suspension.ts';

type Dependencies = { db: Database; config: Pick<Config, 'mail' | 'brand'> };

/**
 * 403 `account_suspended`, with the reason, the end and the way to appeal, for somebody who has proved that the account is theirs;
 * nothing for an account that is under no suspension.
 */
export async function refuseSuspended({ db, config }: Dependencies, userId: string): Promise<void> {
  const suspension = await findSuspension(db, userId);
  if (!suspension) return;
  const { reason, suspended_at, until } = suspension;
  const email = addressOf(config.mail.from);
  const end = until ? ` It ends on ${until.toISOString()}.` : '';
  throw new ServiceError(
    'account_suspended',
    `This account is suspended: ${reason}${/[.!?]$/.test(reason) ? '' : '.'}${end} To appeal, write to ${email}.`,
    {
      details: {
        suspension: {
          reason,
          suspended_at: suspended_at.toISOString(),
          until: until?.toISOString() ?? null,
          appeal: { email, ...(config.brand.imprintUrl && { imprint_url: config.brand.imprintUrl }) },
        },
      },
    },
  );
}

/** The same for whoever brings a link that was mailed to the account, and that could be redeemed but for the suspension. */
export async function refuseSuspendedOwner(
  dependencies: Dependencies,
  purpose: Purpose,
  token: string,
  now: Date,
): Promise<void> {
  const userId = await findTokenOwner(dependencies.db, purpose, token, now);
  if (userId !== undefined) await refuseSuspended(dependencies, userId);
}

/** The address of a From header: `"Quayside" <hello@example.com>`, or the bare address. */
const addressOf = (from: string): string => /<([^<>]+)>\s*$/.exec(from)?.[1] ?? from.trim();
