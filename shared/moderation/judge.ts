import type { AiModeration } from '../adapters/ai-moderation.ts';
import type { Clock } from '../kit/clock.ts';
import { moderate, type ModeratedText, type Moderation, type ModerationRules } from './moderate.ts';

/** What a judgement needs. */
export type Judging = {
  aiModeration?: AiModeration | undefined;
  clock: Clock;
  profile: { moderation: ModerationRules };
};

/**
 * Judges a listing by the rules and, where a provider is configured and the rules have not refused already, by its moderation;
 * without an answer from there the rules alone decide. It may take seconds: never call it inside a transaction.
 */
export async function judgeListing(
  { aiModeration, clock, profile }: Judging,
  text: ModeratedText,
): Promise<Moderation> {
  const byRules = moderate(text, profile.moderation);
  const judged_at = clock.now().toISOString();
  if (!aiModeration || byRules.verdict === 'reject') return { ...byRules, judged_at };
  const objections = await aiModeration(text);
  if (!objections || objections.length === 0) return { ...byRules, judged_at };
  const message = `An automatic check objects to the text: ${objections.join(', ')}.`;
  return { verdict: 'reject', reasons: [...byRules.reasons, { code: 'ai_moderation', message }], judged_at };
}
