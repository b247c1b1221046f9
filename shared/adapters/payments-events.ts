import { z } from 'zod';
import type { Clock } from '../kit/clock.ts';
import { badRequest } from '../kit/errors.ts';

const TOLERANCE_SECONDS = 300;

const event = z.object({
  id: z.string().min(1).max(255),
  type: z.string().min(1).max(255),
  data: z.object({ object: z.record(z.string(), z.unknown()) }),
});

/** Something that happened at the provider: a type, and the thing that it happened to, as the provider shows it. */
export type ProviderEvent = { id: string; type: string; object: Record<string, unknown> };

/**
 * The event in a body that Stripe has signed with this secret less than five minutes ago. Anything else is 400: a header
 * that does not fit the body, an old one, a body that is no event, and every body where no secret is set.
 */
export async function readProviderEvent(
  text: string,
  signature: string,
  secret: string | undefined,
  clock: Clock,
): Promise<ProviderEvent> {
  if (secret === undefined) throw badRequest('No payment provider is expected to call here.');
  const { Stripe } = await import('stripe');
  const signed = verify(() =>
    Stripe.webhooks.constructEvent(text, signature, secret, TOLERANCE_SECONDS, undefined, clock.now().getTime()),
  );
  const parsed = event.safeParse(signed);
  if (!parsed.success) throw badRequest('The body is signed, and is no event.');
  const { id, type, data } = parsed.data;
  return { id, type, object: data.object };
}

function verify(construct: () => unknown): unknown {
  try {
    return construct();
  } catch {
    throw badRequest('The signature does not belong to this body, or is older than five minutes.');
  }
}
