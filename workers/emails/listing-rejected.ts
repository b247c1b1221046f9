import { z } from 'zod';
import type { Locale } from '../../shared/profiles/profile.ts';
import { urlTo } from '../../shared/kit/site-links.ts';
import type { WorkerServices } from '../services.ts';
import { findNotice } from '../../shared/notices/find-notices.ts';
import type { Message, Part, Wording } from './layout.ts';
import { statedNotice, statementParts } from './statement-parts.ts';

const fields = z.object({
  title: z.string(),
  reason: z.string().optional(),
  sell_url: z.url({ protocol: /^https?$/ }),
  notices_url: z.url({ protocol: /^https?$/ }),
  notice: statedNotice.nullish(),
});
const reference = z.object({ notice_id: z.string().optional() });

type Values = z.infer<typeof fields>;

/** The statement of reasons with where to appeal; of a mail from before there were any, the reason in an administrator's own words. */
const because = (
  { notice, reason, notices_url: link }: Values,
  { locale, lead, label }: { locale: Locale; lead: string; label: string },
): Part[] => {
  if (notice) return [...statementParts(notice, locale), { link, label }];
  return reason === undefined ? [] : [{ paragraph: lead }, { quote: reason }];
};

const wording: Wording<Values> = {
  en: (values) => ({
    subject: `Your listing was rejected: ${values.title}`,
    parts: [
      { paragraph: `We have looked at your listing "${values.title}" and removed it.` },
      ...because(values, { locale: 'en', lead: 'The reason:', label: 'Read it and appeal' }),
      { paragraph: 'You are welcome to offer again what our rules allow.' },
      { link: values.sell_url, label: 'Create a new listing' },
    ],
  }),
  es: (values) => ({
    subject: `Tu anuncio ha sido rechazado: ${values.title}`,
    parts: [
      { paragraph: `Hemos revisado tu anuncio «${values.title}» y lo hemos retirado.` },
      ...because(values, { locale: 'es', lead: 'El motivo:', label: 'Leerlo y recurrir' }),
      { paragraph: 'Puedes volver a publicar todo lo que permitan nuestras normas.' },
      { link: values.sell_url, label: 'Crear un anuncio nuevo' },
    ],
  }),
  fr: (values) => ({
    subject: `Votre annonce a été refusée : ${values.title}`,
    parts: [
      { paragraph: `Nous avons examiné votre annonce « ${values.title} » et l'avons retirée.` },
      ...because(values, { locale: 'fr', lead: 'Le motif :', label: 'Lire et faire appel' }),
      { paragraph: 'Vous pouvez à tout moment publier une nouvelle annonce conforme à nos règles.' },
      { link: values.sell_url, label: 'Créer une nouvelle annonce' },
    ],
  }),
  de: (values) => ({
    subject: `Ihre Anzeige wurde abgelehnt: ${values.title}`,
    parts: [
      { paragraph: `Wir haben Ihre Anzeige „${values.title}“ geprüft und entfernt.` },
      ...because(values, { locale: 'de', lead: 'Der Grund:', label: 'Ansehen und Beschwerde einlegen' }),
      { paragraph: 'Was unseren Regeln entspricht, können Sie jederzeit wieder anbieten.' },
      { link: values.sell_url, label: 'Neue Anzeige aufgeben' },
    ],
  }),
  it: (values) => ({
    subject: `Il tuo annuncio è stato rifiutato: ${values.title}`,
    parts: [
      { paragraph: `Abbiamo esaminato il tuo annuncio «${values.title}» e lo abbiamo rimosso.` },
      ...because(values, { locale: 'it', lead: 'Il motivo:', label: 'Leggi e presenta reclamo' }),
      { paragraph: 'Puoi pubblicare di nuovo tutto ciò che le nostre regole consentono.' },
      { link: values.sell_url, label: 'Crea un nuovo annuncio' },
    ],
  }),
  ko: (values) => ({
    subject: `게시물이 거절되었습니다: ${values.title}`,
    parts: [
      { paragraph: `게시물 "${values.title}"을(를) 검토한 결과 삭제했습니다.` },
      ...because(values, { locale: 'ko', lead: '사유:', label: '확인하고 이의 제기하기' }),
      { paragraph: '이용 규칙에 맞는 물품은 언제든지 다시 등록하실 수 있습니다.' },
      { link: values.sell_url, label: '새 게시물 등록' },
    ],
  }),
  ja: (values) => ({
    subject: `出品が承認されませんでした: ${values.title}`,
    parts: [
      { paragraph: `「${values.title}」を確認した結果、出品を取り下げました。` },
      ...because(values, { locale: 'ja', lead: '理由:', label: '確認して異議を申し立てる' }),
      { paragraph: '利用規約に沿った内容であれば、いつでも改めて出品していただけます。' },
      { link: values.sell_url, label: '新しく出品する' },
    ],
  }),
};

/** The data of such a mail with its statement of reasons, `{notice_id}`, and where to appeal and to begin anew. */
export async function loadListingRejected(
  { db, config }: Pick<WorkerServices, 'db' | 'config'>,
  data: Record<string, unknown>,
): Promise<Record<string, unknown>> {
  const { notice_id: id } = reference.parse(data);
  return {
    ...data,
    notice: id === undefined ? null : await findNotice(db, id),
    notices_url: urlTo(config.site, 'notices', {}),
    sell_url: urlTo(config.site, 'sell', {}),
  };
}

/** Tells an owner that a listing was refused, and why: `{title, reason?, notice?, notices_url, sell_url}`. */
export function renderListingRejected(data: Record<string, unknown>, locale: Locale): Message {
  return wording[locale](fields.parse(data));
}
