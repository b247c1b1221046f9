import { z } from 'zod';
import { composeEmail, type Email } from './layout.ts';

const fields = z.object({ title: z.string(), url: z.url({ protocol: /^https?$/ }) });

/** Tells an owner that a listing is public now: `{title, url}`. */
export function renderListingApproved(data: Record<string, unknown>): Email {
  const { title, url } = fields.parse(data);
  return composeEmail(`Your listing is online: ${title}`, [
    {
      paragraph: `Your listing "${title}" is online now. Everybody can find it for the next 30 days; renew it in time to keep it there.`,
    },
    { link: url, label: 'See the listing' },
  ]);
}
