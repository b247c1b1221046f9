import { z } from 'zod';
import { urlTo } from '../../shared/kit/site-links.ts';
import { findNotice } from '../../shared/notices/find-notices.ts';
import { wordStatement } from '../../shared/notices/statement.ts';
import type { Locale } from '../../shared/profiles/profile.ts';
import type { WorkerServices } from '../services.ts';
import type { Message, Wording } from './layout.ts';
import { statedNotice, statementParts, type StatedNoticeData } from './statement-parts.ts';

const reference = z.object({ notice_id: z.string() });
const fields = z.object({ notice: statedNotice, url: z.url({ protocol: /^https?$/ }) });

type Values = { notice: StatedNoticeData; url: string };

const compose =
  (locale: Locale, subject: string, label: string) =>
  ({ notice, url }: Values) => ({
    subject,
    parts: [
      { paragraph: wordStatement(notice, locale).restriction },
      ...statementParts(notice, locale),
      { link: url, label },
    ],
  });

const wording: Wording<Values> = {
  en: compose('en', 'A decision about your content', 'Read it and appeal'),
  es: compose('es', 'Una decisión sobre tus contenidos', 'Leerla y recurrir'),
  fr: compose('fr', 'Une décision concernant vos contenus', 'La lire et faire appel'),
  de: compose('de', 'Eine Entscheidung über Ihre Inhalte', 'Ansehen und Beschwerde einlegen'),
  it: compose('it', 'Una decisione sui tuoi contenuti', 'Leggila e presenta reclamo'),
  ko: compose('ko', '회원님의 콘텐츠에 대한 결정', '확인하고 이의 제기하기'),
  ja: compose('ja', 'お客様の投稿についての決定', '確認して異議を申し立てる'),
};

/** The statement of reasons `{notice_id}`, and where it can be appealed; null when the restriction is over, undefined when there is none. */
export async function loadContentRestricted({ db, config }: WorkerServices, data: Record<string, unknown>) {
  const notice = await findNotice(db, reference.parse(data).notice_id);
  if (!notice) return undefined;
  if (notice.lifted_at) return null;
  return { notice, url: urlTo(config.site, 'notices', {}) };
}

/** Tells somebody what of theirs was restricted, with all that a statement of reasons has to hold. */
export function renderContentRestricted(data: Record<string, unknown>, locale: Locale): Message {
  return wording[locale](fields.parse(data));
}
