import { inTransaction, type Database } from '../../db/client.ts';
import { NoRefund, type Payments } from '../adapters/payments-session.ts';
import { conflict, notFound, unavailable } from '../kit/errors.ts';
import { lockPayment, refundPayment, type Payment, type PremiumServices } from './complete.ts';

/**
 * Gives a completed payment back: the provider is asked first, under the payment's id, so that a repetition gives nothing back twice,
 * and what it has paid for ends in one transaction afterwards. 404 for an unknown one; 409 unless it is completed and the provider it was
 * paid through is there; 503 when the provider gives nothing back.
 */
export async function giveBack(
  services: PremiumServices & { db: Database; payments: Payments },
  id: string,
): Promise<Payment> {
  const { db, payments } = services;
  const payment = await db.selectFrom('payments').selectAll().where('id', '=', id).executeTakeFirst();
  if (!payment) throw notFound('payment', id);
  if (payment.status !== 'completed')
    throw conflict(`Only a paid payment can be given back; this one is ${payment.status}.`);
  if (payment.mode === 'payment') await askProvider(payments, payment);
  return inTransaction(db, async (tx) => {
    await refundPayment(tx, services, await lockPayment(tx, id));
    return lockPayment(tx, id);
  });
}

type Paid = { id: string; payment_intent: string | null; amount_cents: number };

async function askProvider(payments: Payments, { id, payment_intent: intent, amount_cents: amountCents }: Paid) {
  if (payments.mode !== 'payment') throw conflict('The payment provider that it was paid through is not configured.');
  if (intent === null) throw conflict('The provider has never said what it calls this payment: give it back there.');
  try {
    await payments.refund({ paymentId: id, intent, amountCents });
  } catch (error) {
    if (!(error instanceof NoRefund)) throw error;
    throw unavailable('The payment provider gives nothing back at the moment; nothing has changed.', error);
  }
}
