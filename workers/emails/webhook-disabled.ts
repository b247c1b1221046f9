import { z } from 'zod';
import type { Locale } from '../../shared/profiles/profile.ts';
import { composeEmail, type Email } from './layout.ts';

const fields = z.object({ url: z.string(), failing_since: z.iso.datetime() });

/** Tells the owner of a webhook that nothing is sent to it any more: `{url, failing_since}`. */
export function renderWebhookDisabled(data: Record<string, unknown>, locale: Locale): Email {
  const { url, failing_since: since } = fields.parse(data);
  return composeEmail(locale, 'A webhook of yours was switched off', [
    { paragraph: `Every delivery to your webhook has failed since ${since.slice(0, 16).replace('T', ' ')} UTC:` },
    { paragraph: url },
    {
      paragraph:
        'It was switched off. Once its server answers again, subscribe anew; the feed of events holds what was missed.',
    },
  ]);
}
