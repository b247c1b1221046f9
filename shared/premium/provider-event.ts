import { sql } from 'kysely';
import { z } from 'zod';
import type { ProviderEvent } from '../adapters/payments-events.ts';
import { badRequest } from '../kit/errors.ts';
import type { Tx } from '../queues/jobs.ts';
import { completePayment, lockPayment, refundPayment, type Payment, type PremiumServices } from './complete.ts';

const id = z.string().min(1).max(255);
/** The provider may show a thing in place of its id. */
const reference = z.union([id, z.object({ id }).transform((thing) => thing.id)]).nullish();
/** Other shops of the same account may sell in smaller coins than ours. */
const cents = z.int().min(0);
const MAX_CENTS = 2_147_483_647;
/** What we have written into a session, where it is ours; others write what they like. */
const metadata = z
  .object({ payment_id: id.optional().catch(undefined) })
  .nullish()
  .catch(undefined);

const session = z.object({
  id,
  payment_status: z.string().max(100).nullish(),
  payment_intent: reference,
  amount_total: cents.nullish(),
  currency: z.string().max(10).nullish(),
  metadata,
});
const charge = z.object({
  payment_intent: reference,
  amount: cents.nullish(),
  amount_refunded: cents.nullish(),
  refunded: z.boolean().nullish(),
  metadata,
});
/** A refund, or a dispute with the buyer's bank. */
const reversal = z.object({
  payment_intent: reference,
  amount: cents.nullish(),
  status: z.string().max(100).nullish(),
});

type Session = z.infer<typeof session>;
type Seen = { payment: Payment; session: Session; wasRefunded: boolean };
type Handle = (tx: Tx, services: PremiumServices, object: unknown) => Promise<string | undefined>;

/** Every type of event that matters here. */
const handles = new Map<string, Handle>([
  ['checkout.session.completed', onSession(settle)],
  ['checkout.session.async_payment_succeeded', onSession(pay)],
  ['checkout.session.async_payment_failed', onSession((tx, _, { payment }) => close(tx, payment, 'failed'))],
  ['checkout.session.expired', onSession((tx, _, { payment }) => close(tx, payment, 'expired'))],
  ['charge.refunded', takeBackCharge],
  ['refund.created', takeBackRefund],
  ['refund.updated', takeBackRefund],
  ['charge.refund.updated', takeBackRefund],
  ['charge.dispute.closed', takeBackDisputed],
]);

/**
 * Deals with an event once, however often and in whatever order events come; types that do not matter here are left alone.
 * Answers the listing whose promotion it was about. An event that does not hold what its type says is 400.
 */
export async function handleProviderEvent(
  tx: Tx,
  services: PremiumServices,
  { id, type, object }: ProviderEvent,
): Promise<string | undefined> {
  const handle = handles.get(type);
  if (!handle) return undefined;
  const { numInsertedOrUpdatedRows } = await tx
    .insertInto('payment_events')
    .values({ id, type, received_at: services.clock.now() })
    .onConflict((conflict) => conflict.column('id').doNothing())
    .executeTakeFirst();
  return numInsertedOrUpdatedRows === 0n ? undefined : handle(tx, services, object);
}

function onSession(act: (tx: Tx, services: PremiumServices, seen: Seen) => Promise<void>): Handle {
  return async (tx, services, object) => {
    const seen = read(session, object);
    const { payment_intent: intent, metadata } = seen;
    const heard = intent ? await hearOf(tx, intent, services.clock.now()) : undefined;
    const payment = await findPayment(tx, 'session_id', seen.id, metadata?.payment_id);
    if (!payment) {
      services.log.info({ session_id: seen.id }, 'a checkout session is none of ours');
      return undefined;
    }
    await act(tx, services, { payment, session: seen, wasRefunded: heard !== undefined && isRefunded(heard, payment) });
    return payment.listing_id;
  };
}

/** The buyer is through with the checkout; some ways of paying take days more until the money is there. */
async function settle(tx: Tx, services: PremiumServices, seen: Seen): Promise<void> {
  if (seen.session.payment_status !== 'unpaid') return pay(tx, services, seen);
  if (seen.payment.status !== 'open') return;
  await tx
    .updateTable('payments')
    .set({ status: 'pending', payment_intent: seen.session.payment_intent ?? null })
    .where('id', '=', seen.payment.id)
    .execute();
}

function pay(tx: Tx, services: PremiumServices, { payment, session, wasRefunded }: Seen): Promise<void> {
  const paid = {
    amountCents: session.amount_total ?? undefined,
    currency: session.currency ?? undefined,
    intent: session.payment_intent ?? undefined,
  };
  return completePayment(tx, services, payment, paid, wasRefunded);
}

async function close(tx: Tx, { id, status }: Payment, end: 'failed' | 'expired'): Promise<void> {
  const from = end === 'failed' ? ['open', 'pending'] : ['open'];
  if (from.includes(status)) await tx.updateTable('payments').set({ status: end }).where('id', '=', id).execute();
}

function takeBackCharge(tx: Tx, services: PremiumServices, object: unknown): Promise<string | undefined> {
  const { payment_intent, amount, amount_refunded, refunded, metadata } = read(charge, object);
  const returned = amount_refunded ?? amount ?? 0;
  const fully = refunded ?? (amount_refunded == null || returned >= (amount ?? returned));
  return takeBack(tx, services, { intent: payment_intent, returned, fully, paymentId: metadata?.payment_id });
}

async function takeBackRefund(tx: Tx, services: PremiumServices, object: unknown): Promise<string | undefined> {
  const { status, ...refund } = read(reversal, object);
  return status === 'failed' || status === 'canceled' ? undefined : takeBackReversal(tx, services, refund);
}

/** Until the bank has decided, and when it decides for us, what was bought stays. */
async function takeBackDisputed(tx: Tx, services: PremiumServices, object: unknown): Promise<string | undefined> {
  const { status, ...dispute } = read(reversal, object);
  return status === 'lost' ? takeBackReversal(tx, services, dispute) : undefined;
}

const takeBackReversal = (
  tx: Tx,
  services: PremiumServices,
  { payment_intent: intent, amount }: Omit<z.infer<typeof reversal>, 'status'>,
) => takeBack(tx, services, { intent, returned: amount ?? 0, fully: amount == null });

type TakenBack = {
  intent: string | null | undefined;
  returned: number;
  fully: boolean;
  paymentId?: string | undefined;
};

/** Remembers what was given back, for a completion that is still to come, and ends what a full refund has paid for. */
async function takeBack(
  tx: Tx,
  services: PremiumServices,
  { intent, returned, fully, paymentId }: TakenBack,
): Promise<string | undefined> {
  if (!intent) return undefined;
  const heard = await hearOf(tx, intent, services.clock.now(), { returned, fully });
  const payment = await findPayment(tx, 'payment_intent', intent, paymentId);
  if (!payment || !isRefunded(heard, payment)) return undefined;
  await refundPayment(tx, services, payment);
  return payment.listing_id;
}

function read<Shape extends z.ZodType>(shape: Shape, object: unknown): z.infer<Shape> {
  const parsed = shape.safeParse(object);
  if (!parsed.success) throw badRequest('The event does not hold what its type says.');
  return parsed.data;
}

/** By what the provider calls it, or by what we wrote into it: the answer that named it may have been lost. */
async function findPayment(tx: Tx, column: 'session_id' | 'payment_intent', name: string, ownId: string | undefined) {
  const payments = tx.selectFrom('payments').select('id');
  const known = await payments.where(column, '=', name).executeTakeFirst();
  const found = known ?? (ownId === undefined ? undefined : await payments.where('id', '=', ownId).executeTakeFirst());
  return found && lockPayment(tx, found.id);
}

type Heard = { refunded_cents: number; fully_refunded: boolean };

const isRefunded = ({ refunded_cents: cents, fully_refunded: fully }: Heard, payment: Payment) =>
  fully || cents >= payment.amount_cents;

/** What is known of a payment of the provider; until the transaction ends, other events about it wait. */
function hearOf(tx: Tx, intent: string, now: Date, { returned = 0, fully = false } = {}): Promise<Heard> {
  return tx
    .insertInto('payment_intents')
    .values({ id: intent, refunded_cents: Math.min(returned, MAX_CENTS), fully_refunded: fully, first_heard_at: now })
    .onConflict((conflict) =>
      conflict.column('id').doUpdateSet(({ ref, fn }) => ({
        refunded_cents: fn<number>('greatest', ['payment_intents.refunded_cents', 'excluded.refunded_cents']),
        fully_refunded: sql<boolean>`${ref('payment_intents.fully_refunded')} or ${ref('excluded.fully_refunded')}`,
      })),
    )
    .returning(['refunded_cents', 'fully_refunded'])
    .executeTakeFirstOrThrow();
}
