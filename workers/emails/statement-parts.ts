import { z } from 'zod';
import { wordStatement } from '../../shared/notices/statement.ts';
import type { Locale } from '../../shared/profiles/profile.ts';
import type { Part } from './layout.ts';

/** A stored statement of reasons as a template is given it. */
export const statedNotice = z.object({
  subject_type: z.string(),
  subject_title: z.string().nullable(),
  restriction: z.string(),
  until: z.coerce.date().nullable(),
  facts: z.string().nullable(),
  reports: z.number(),
  automated_decision: z.boolean(),
  ground: z.string(),
  rule: z.string(),
  explanation: z.string().nullable(),
  created_at: z.coerce.date(),
});
export type StatedNoticeData = z.infer<typeof statedNotice>;

/** What a mail says of a statement of reasons, but for what was done; a moderator's own words are quoted. */
export function statementParts(notice: StatedNoticeData, locale: Locale): Part[] {
  const { duration, facts, basis, automation, ground, explanation, redress } = wordStatement(notice, locale);
  return [
    { paragraph: duration },
    notice.facts === null ? { paragraph: facts } : { quote: facts },
    { paragraph: `${basis} ${automation}` },
    { paragraph: ground },
    ...(explanation === null ? [] : [{ quote: explanation }]),
    { paragraph: redress },
  ];
}

/** The statement of reasons of an example. */
export const sampleNotice = {
  subject_type: 'listing',
  subject_title: 'Hallberg-Rassy 36 Mk II',
  restriction: 'listing_hidden',
  until: null,
  facts: 'The photos show another boat than the text.',
  reports: 2,
  automated_decision: false,
  ground: 'terms',
  rule: 'fraud',
  explanation: 'Our terms ask for photos of the boat itself.',
  created_at: '2026-01-01T09:30:00.000Z',
};
