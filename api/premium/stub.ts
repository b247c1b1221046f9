import { inTransaction } from '../../db/client.ts';
import { notFound } from '../../shared/kit/errors.ts';
import { completePayment, lockPayment, type Payment } from '../../shared/premium/complete.ts';
import { nameOf } from '../../shared/premium/plans.ts';
import { urlTo } from '../../shared/kit/site-links.ts';
import { escapeHtml } from '../../shared/kit/html.ts';
import { renderPage } from '../http/page.ts';
import type { Handler } from '../handler.ts';
import type { Links } from '../http/links.ts';
import type { Services } from '../services.ts';

/** The address of the page that stands in for the provider's. */
export const stubPageOf = ({ base }: Pick<Links, 'base'>, sessionId: string) =>
  `${base}/api/payments/stub/${sessionId}`;

/** The page that stands in for the payment provider's where none is configured; 404 where one is. */
export const getStubCheckout: Handler<'getStubCheckout'> = async (services, { params }) => {
  const payment = await findStub(services, params.sessionId);
  return { status: 200, ...render(payment, services.config) };
};

/** Buys what the page offers, in play and once: pressing the button again changes nothing. 404 where a provider is configured. */
export const completeStubCheckout: Handler<'completeStubCheckout'> = async (services, { params }) => {
  const { id, listing_id } = await findStub(services, params.sessionId);
  const payment = await inTransaction(services.db, async (tx) => {
    const ordered = await lockPayment(tx, id);
    if (ordered.status === 'open') await completePayment(tx, services, ordered, {});
    return lockPayment(tx, id);
  });
  return { status: 200, ...render(payment, services.config), effects: { changed: { listings: [listing_id] } } };
};

type Shown = Pick<
  Payment,
  'status' | 'problem' | 'plan' | 'duration_days' | 'amount_cents' | 'currency' | 'listing_title' | 'listing_slug'
>;

async function findStub(
  { db, payments }: Services,
  sessionId: string,
): Promise<Shown & { id: string; listing_id: string }> {
  if (payments.mode !== 'stub') throw notFound('address', `/api/payments/stub/${sessionId}`);
  const payment = await db
    .selectFrom('payments')
    .selectAll()
    .where('session_id', '=', sessionId)
    .where('mode', '=', 'stub')
    .executeTakeFirst();
  if (!payment) throw notFound('checkout', sessionId);
  return { ...payment, plan: payment.plan as Payment['plan'] };
}

function render(payment: Shown, config: Services['config']) {
  const bought = nameOf(payment.plan, payment.duration_days);
  const title = `<strong>${escapeHtml(payment.listing_title)}</strong>`;
  const link = `<p><a href="${escapeHtml(urlTo(config.site, 'listing', { slug: payment.listing_slug }))}">See the listing</a></p>`;
  if (payment.status !== 'open')
    return renderPage(config, {
      locale: 'en',
      title: outcomeOf(payment),
      content: `<p>${bought}: ${title}</p>\n${link}`,
    });
  const money = new Intl.NumberFormat('en', { style: 'currency', currency: payment.currency });
  const price = money.format(payment.amount_cents / 100);
  return renderPage(config, {
    locale: 'en',
    title: bought,
    content: `<p>For: ${title}</p>
<p>Price: <strong>${price}</strong></p>
<p>No payment provider is set up here, so this page stands in for its checkout. No money changes hands.</p>
<form method="post"><button>Pay ${price} in play</button></form>
${link}`,
  });
}

function outcomeOf({ status, problem }: Shown): string {
  if (status === 'refunded') return 'This purchase was refunded';
  if (status === 'expired') return 'This checkout is closed';
  return problem === null ? 'Thank you, your listing is promoted' : 'The listing is not there any more';
}
