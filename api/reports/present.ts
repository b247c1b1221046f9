import type { NoticeRow } from '../../shared/notices/find-notices.ts';
import { appealEnd } from '../../shared/notices/notices.ts';
import { wordStatement } from '../../shared/notices/statement.ts';
import type { Locale } from '../../shared/profiles/profile.ts';
import type { Result } from '../http/types.ts';

type Notice = Result<'listMyNotices', 200>['results'][number];

/** Notice of openapi.yaml, its statement in that language. */
export function presentNotice(row: NoticeRow, locale: Locale, now: Date): Notice {
  const appealUntil = appealEnd(row.created_at);
  const isOpen = row.lifted_at === null && row.appeal_id === null && now <= appealUntil;
  return {
    id: row.id,
    subject: { type: row.subject_type as Notice['subject']['type'], id: row.subject_id, title: row.subject_title },
    restriction: row.restriction as Notice['restriction'],
    scope: 'everywhere',
    created_at: row.created_at.toISOString(),
    until: row.until?.toISOString() ?? null,
    lifted_at: row.lifted_at?.toISOString() ?? null,
    automated: { detection: row.automated_detection, decision: row.automated_decision },
    ground: row.ground as Notice['ground'],
    rule: row.rule as Notice['rule'],
    prompted_by: row.reports > 0 ? 'reports' : 'own_initiative',
    statement: wordStatement(row, locale),
    appeal_until: appealUntil.toISOString(),
    can_appeal: isOpen && row.restriction !== 'account_suspended',
    appeal: presentAppeal(row),
  };
}

function presentAppeal(row: NoticeRow): Notice['appeal'] {
  const {
    appeal_id: id,
    appeal_text: text,
    appealed_at: createdAt,
    outcome,
    answer,
    appeal_decided_at: decidedAt,
  } = row;
  if (id === null || text === null || createdAt === null) return null;
  return {
    id,
    text,
    created_at: createdAt.toISOString(),
    outcome: outcome as NonNullable<Notice['appeal']>['outcome'],
    answer,
    decided_at: decidedAt?.toISOString() ?? null,
  };
}
