import { z } from 'zod';
import type { Locale } from '../../shared/profiles/profile.ts';
import { composeEmail, type Email } from './layout.ts';

const fields = z.object({ title: z.string(), url: z.url({ protocol: /^https?$/ }) });

/** Tells an owner that a listing is marked as sold: `{title, url}`. */
export function renderListingSold(data: Record<string, unknown>, locale: Locale): Email {
  const { title, url } = fields.parse(data);
  return composeEmail(locale, `Sold: ${title}`, [
    {
      paragraph: `Congratulations! Your listing "${title}" is marked as sold. Buyers still find its page, but not among what is for sale.`,
    },
    { paragraph: 'If the sale falls through, set its status back to active: it is on the market again at once.' },
    { link: url, label: 'See the listing' },
  ]);
}
