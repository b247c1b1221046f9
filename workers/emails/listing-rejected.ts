import { z } from 'zod';
import type { Locale } from '../../shared/profiles/profile.ts';
import { composeEmail, type Email } from './layout.ts';

const fields = z.object({ title: z.string(), reason: z.string().optional() });

/** Tells an owner that an administrator has refused a listing, and why: `{title, reason?}`. */
export function renderListingRejected(data: Record<string, unknown>, locale: Locale): Email {
  const { title, reason } = fields.parse(data);
  return composeEmail(locale, `Your listing was rejected: ${title}`, [
    { paragraph: `We have looked at your listing "${title}" and removed it.` },
    ...(reason === undefined ? [] : [{ paragraph: 'The reason:' }, { quote: reason }]),
    { paragraph: 'You are welcome to offer again what our rules allow.' },
  ]);
}
