import { requireAccepted } from '../listings/rules.ts';
import { judgeListing, type Judging } from '../moderation/judge.ts';

/** "10/10" and a thumb are no language, and say all that a review has to. */
const MIN_JUDGED_AS_LANGUAGE_LENGTH = 20;

/**
 * Throws moderation_rejected for a review, or a reply to one, that may not be shown, by the rules for listings and, where one
 * is configured, the provider. It may take seconds: never call it inside a transaction.
 */
export async function assertModeratedText(services: Judging, text: string): Promise<void> {
  const judgement = await judgeListing(services, { title: '', description: text });
  const isShort = [...text.trim()].length < MIN_JUDGED_AS_LANGUAGE_LENGTH;
  if (isShort && judgement.reasons.every(({ code }) => code === 'gibberish')) return;
  requireAccepted(judgement);
}
