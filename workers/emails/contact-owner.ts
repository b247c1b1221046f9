import { z } from 'zod';
import type { Locale } from '../../shared/profiles/profile.ts';
import type { WorkerServices } from '../services.ts';
import { composeEmail, type Email } from './layout.ts';

const reference = z.object({ contact_request_id: z.uuid() });
const fields = z.object({
  name: z.string(),
  email: z.string(),
  message: z.string(),
  title: z.string(),
  url: z.url({ protocol: /^https?$/ }),
});

/** What the message of `{contact_request_id}` says; undefined once its texts are forgotten. */
export async function loadContactOwner(
  { db, config }: Pick<WorkerServices, 'db' | 'config'>,
  data: Record<string, unknown>,
): Promise<Record<string, unknown> | undefined> {
  const { contact_request_id: id } = reference.parse(data);
  const row = await db
    .selectFrom('contact_requests')
    .select(['name', 'email', 'message', 'listing_title', 'listing_slug'])
    .where('id', '=', id)
    .executeTakeFirst();
  if (!row || row.message === null) return undefined;
  const { listing_title: title, listing_slug: slug, ...sender } = row;
  return { ...sender, title, url: `${config.baseUrl}/api/listings/${slug}` };
}

/** Hands an owner what somebody has written about a listing; the answer goes to the sender. */
export function renderContactOwner(data: Record<string, unknown>, locale: Locale): Email {
  const { name, email, message, title, url } = fields.parse(data);
  const sender = name.replaceAll(/[\s\p{Cc}]+/gu, ' ').trim();
  const composed = composeEmail(locale, `A message about your listing: ${title}`, [
    { paragraph: `${sender} <${email}> has written to you about your listing "${title}":` },
    { quote: message },
    { paragraph: `Answer this mail to write back: your answer, and with it your address, goes to ${email}.` },
    { link: url, label: 'See the listing' },
  ]);
  return { ...composed, replyTo: email };
}
