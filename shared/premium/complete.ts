import type { Clock } from '../kit/clock.ts';
import type { Config } from '../kit/config.ts';
import { urlTo } from '../kit/site-links.ts';
import { recordEvents } from '../journal/events.ts';
import type { Jobs, Tx } from '../queues/jobs.ts';
import { changeListing } from '../listings/change.ts';
import { eventColumns } from '../listings/listing-event.ts';
import type { Logger } from '../kit/log.ts';
import { promote, promotionOf, type Plan, type Promotion } from './plans.ts';

export type PremiumServices = {
  jobs: Pick<Jobs, 'enqueue'>;
  clock: Clock;
  log: Pick<Logger, 'warn' | 'info'>;
  config: Pick<Config, 'site'>;
};

export type Payment = Awaited<ReturnType<typeof lockPayment>>;

/** What a provider says was paid; what it leaves out is not compared. */
export type Paid = { amountCents?: number | undefined; currency?: string | undefined; intent?: string | undefined };

const notYetPaid = new Set(['open', 'pending', 'expired', 'failed']);

/** A payment by its id, locked until the transaction ends, so that what is heard of it is dealt with one after the other. */
export async function lockPayment(tx: Tx, id: string) {
  const row = await tx.selectFrom('payments').selectAll().where('id', '=', id).forUpdate().executeTakeFirstOrThrow();
  return { ...row, plan: row.plan as Plan };
}

/**
 * Completes a locked payment once: its listing is promoted, with the event, the index job and the mail to the buyer. Nothing
 * is promoted, and the payment says why, when another amount was paid than was asked for and when the listing is gone; nor
 * when it was refunded already. A payment that is completed or refunded stays as it is.
 */
export async function completePayment(
  tx: Tx,
  services: PremiumServices,
  payment: Payment,
  paid: Paid,
  wasRefunded = false,
): Promise<void> {
  if (!notYetPaid.has(payment.status)) return;
  const now = services.clock.now();
  const listing = await lockPromoted(tx, payment.listing_id);
  const problem = isAsAsked(payment, paid) ? (listing ? null : 'listing_gone') : 'amount_mismatch';
  await tx
    .updateTable('payments')
    .set({
      status: wasRefunded ? 'refunded' : 'completed',
      completed_at: now,
      refunded_at: wasRefunded ? now : null,
      payment_intent: paid.intent ?? payment.payment_intent,
      problem,
    })
    .where('id', '=', payment.id)
    .execute();
  if (problem !== null) {
    const facts = { payment_id: payment.id, listing_id: payment.listing_id, problem, asked: payment.amount_cents };
    services.log.warn({ ...facts, paid: paid.amountCents }, 'a payment was completed and promotes nothing');
  }
  if (wasRefunded || problem !== null || !listing) return;
  const { plan, duration_days: durationDays } = payment;
  const promotion = promote(promotionNow(listing), { plan, durationDays, at: now });
  await setPromotion(tx, services, listing, promotion);
  await tellOf(tx, services, payment, { ...listing, promotion }, now);
}

/**
 * Takes back a locked payment: the promotion of its listing becomes what the other payments for it come to, which is none
 * where there are no others. A payment that is not completed stays as it is.
 */
export async function refundPayment(tx: Tx, services: PremiumServices, payment: Payment): Promise<void> {
  if (payment.status !== 'completed') return;
  const now = services.clock.now();
  await tx.updateTable('payments').set({ status: 'refunded', refunded_at: now }).where('id', '=', payment.id).execute();
  const listing = payment.problem === null ? await lockPromoted(tx, payment.listing_id) : undefined;
  if (!listing || listing.premium_type === null) return;
  const others = await tx
    .selectFrom('payments')
    .select(['plan', 'duration_days', 'completed_at'])
    .where('listing_id', '=', listing.id)
    .where('status', '=', 'completed')
    .where('problem', 'is', null)
    .orderBy('completed_at')
    .orderBy('id')
    .execute();
  const rest = promotionOf(
    others.map(({ plan, duration_days, completed_at }) => ({
      plan: plan as Plan,
      durationDays: duration_days,
      at: completed_at ?? now,
    })),
  );
  await setPromotion(tx, services, listing, rest && rest.until > now ? rest : undefined);
}

const isAsAsked = (payment: Payment, { amountCents, currency }: Paid) =>
  (amountCents ?? payment.amount_cents) === payment.amount_cents &&
  (currency ?? payment.currency).toUpperCase() === payment.currency;

type Promoted = NonNullable<Awaited<ReturnType<typeof lockPromoted>>>;

function lockPromoted(tx: Tx, id: string) {
  return tx
    .selectFrom('listings')
    .select([...eventColumns, 'premium_type', 'premium_until'])
    .where('id', '=', id)
    .where('status', '<>', 'deleted')
    .forUpdate()
    .executeTakeFirst();
}

const promotionNow = ({ premium_type: type, premium_until: until }: Promoted): Promotion | undefined =>
  type === null || until === null ? undefined : { type: type as Plan, until };

async function setPromotion(tx: Tx, services: PremiumServices, listing: Promoted, promotion: Promotion | undefined) {
  await changeListing(tx, services, listing, {
    event: 'listing.updated',
    set: { premium_type: promotion?.type ?? null, premium_until: promotion?.until ?? null },
  });
}

async function tellOf(
  tx: Tx,
  { jobs, config }: PremiumServices,
  payment: Payment,
  { id, seller_id, slug, title, promotion }: Promoted & { promotion: Promotion },
  now: Date,
): Promise<void> {
  const until = promotion.until.toISOString();
  const { plan, duration_days: duration } = payment;
  const data = { listing_id: id, slug, title, payment_id: payment.id, type: plan, duration, until };
  await recordEvents(tx, now, [{ type: 'premium.activated', subject: id, ownerId: seller_id, data }]);
  await jobs.enqueue(tx, 'send-email', {
    message_id: `premium-activated.${payment.id}`,
    template: 'premium-activated',
    user_id: payment.user_id,
    data: {
      payment_id: payment.id,
      listing_id: id,
      title,
      url: urlTo(config.site, 'listing', { slug }),
      featured: plan === 'featured',
      duration,
      until,
      paid_at: now.toISOString(),
      amount_cents: payment.amount_cents,
      currency: payment.currency,
    },
  });
}
