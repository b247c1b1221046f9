import { sql } from 'kysely';
import { inTransaction, type Database } from '../../db/client.ts';
import { addMilliseconds, HOUR_MS, type Clock } from '../kit/clock.ts';
import { NoSession, type CheckoutOrder, type CheckoutSession, type Payments } from '../adapters/payments-session.ts';
import type { Config } from '../kit/config.ts';
import { conflict, unavailable } from '../kit/errors.ts';
import { newId } from '../kit/ids.ts';
import type { Tx } from '../queues/jobs.ts';
import { lockOwnListing } from '../listings/change.ts';
import { nameOf, priceOfPlan, type Duration, type Plan } from './plans.ts';

type Services = { db: Database; clock: Clock; payments: Payments; config: Pick<Config, 'payments' | 'baseUrl'> };
type Wish = { listing: string; userId: string; plan: Plan; duration: Duration };

/** A provider remembers an idempotency key for a day; what is older is not asked for again under it. */
const KEY_LIVES_MS = 23 * HOUR_MS;

/**
 * Opens the checkout of a promotion of the caller's own active listing: 403 for somebody else's, 409 in any other status,
 * 503 when the provider gives no session. The payment is written down before the provider is asked, and whoever asks again
 * after a failure goes on with the same one, so that there is one session however often the first answer got lost.
 */
export async function openCheckout(services: Services, wish: Wish): Promise<CheckoutSession> {
  const { db, clock, payments, config } = services;
  const price = priceOfPlan(config, wish.plan, wish.duration);
  const order = async (tx: Tx) => {
    const listing = await lockOwnListing(tx, wish.listing, wish.userId);
    if (listing.status !== 'active')
      throw conflict(`Only an active listing can be promoted; this one is ${listing.status}.`);
    return writePayment(tx, clock.now(), {
      id: newId('payment'),
      listing_id: listing.id,
      listing_title: listing.title,
      listing_slug: listing.slug,
      user_id: wish.userId,
      plan: wish.plan,
      duration_days: wish.duration,
      amount_cents: price.amountCents,
      currency: price.currency,
      mode: payments.mode,
    });
  };
  // The provider may tell of a session before it answers: the payment it belongs to is there by then.
  const payment = await inTransaction(db, order, { autonomous: true });
  const returnUrl = `${config.baseUrl}/api/payments/return?listing=${payment.listing_slug}`;
  const session = await openSession(services, {
    paymentId: payment.id,
    listingId: payment.listing_id,
    product: nameOf(wish.plan, wish.duration),
    ...price,
    paidUrl: `${returnUrl}&paid=true`,
    leftUrl: `${returnUrl}&paid=false`,
  });
  await inTransaction(db, (tx) =>
    tx
      .updateTable('payments')
      .set({ session_id: session.id })
      .where('id', '=', payment.id)
      .where('session_id', 'is', null)
      .execute(),
  );
  return session;
}

/** The provider's session; a payment that it will give none for any more is closed, so that the next try is a new one. */
async function openSession({ db, payments }: Services, order: CheckoutOrder): Promise<CheckoutSession> {
  try {
    return await payments.openSession(order);
  } catch (error) {
    if (!(error instanceof NoSession)) throw error;
    if (error.isFinal) {
      const payment = db.updateTable('payments').set({ status: 'expired' }).where('id', '=', order.paymentId);
      await payment.where('status', '=', 'open').where('session_id', 'is', null).execute();
    }
    throw unavailable('The payment provider opens no checkout at the moment; nothing was charged.', error);
  }
}

type NewPayment = {
  id: string;
  listing_id: string;
  listing_title: string;
  listing_slug: string;
  user_id: string;
  plan: string;
  duration_days: number;
  amount_cents: number;
  currency: string;
  mode: string;
};

/** A new payment, or the one for the same that has no session yet: of parallel requests each gets the same. */
async function writePayment(tx: Tx, now: Date, payment: NewPayment) {
  await tx
    .updateTable('payments')
    .set({ status: 'expired' })
    .where('listing_id', '=', payment.listing_id)
    .where('status', '=', 'open')
    .where('session_id', 'is', null)
    .where('created_at', '<', addMilliseconds(now, -KEY_LIVES_MS))
    .execute();
  return tx
    .insertInto('payments')
    .values({ ...payment, created_at: now })
    .onConflict((conflict) =>
      conflict
        .columns(['listing_id', 'user_id', 'plan', 'duration_days', 'amount_cents', 'currency', 'mode'])
        .where('status', '=', sql.lit('open'))
        .where('session_id', 'is', null)
        .doUpdateSet({ status: 'open' }),
    )
    .returning(['id', 'listing_id', 'listing_slug'])
    .executeTakeFirstOrThrow();
}
