import { z } from 'zod';
import type { Locale } from '../../shared/profiles/profile.ts';
import type { Message, Part, Wording } from './layout.ts';

const fields = z.object({ title: z.string(), reason: z.string().optional() });

/** The reason is an administrator's own words, in whatever language they were written. */
const because = (lead: string, reason: string | undefined): Part[] =>
  reason === undefined ? [] : [{ paragraph: lead }, { quote: reason }];

const wording: Wording<z.infer<typeof fields>> = {
  en: ({ title, reason }) => ({
    subject: `Your listing was rejected: ${title}`,
    parts: [
      { paragraph: `We have looked at your listing "${title}" and removed it.` },
      ...because('The reason:', reason),
      { paragraph: 'You are welcome to offer again what our rules allow.' },
    ],
  }),
  es: ({ title, reason }) => ({
    subject: `Tu anuncio ha sido rechazado: ${title}`,
    parts: [
      { paragraph: `Hemos revisado tu anuncio «${title}» y lo hemos retirado.` },
      ...because('El motivo:', reason),
      { paragraph: 'Puedes volver a publicar todo lo que permitan nuestras normas.' },
    ],
  }),
  fr: ({ title, reason }) => ({
    subject: `Votre annonce a été refusée : ${title}`,
    parts: [
      { paragraph: `Nous avons examiné votre annonce « ${title} » et l'avons retirée.` },
      ...because('Le motif :', reason),
      { paragraph: 'Vous pouvez à tout moment publier une nouvelle annonce conforme à nos règles.' },
    ],
  }),
  de: ({ title, reason }) => ({
    subject: `Ihre Anzeige wurde abgelehnt: ${title}`,
    parts: [
      { paragraph: `Wir haben Ihre Anzeige „${title}“ geprüft und entfernt.` },
      ...because('Der Grund:', reason),
      { paragraph: 'Was unseren Regeln entspricht, können Sie jederzeit wieder anbieten.' },
    ],
  }),
  it: ({ title, reason }) => ({
    subject: `Il tuo annuncio è stato rifiutato: ${title}`,
    parts: [
      { paragraph: `Abbiamo esaminato il tuo annuncio «${title}» e lo abbiamo rimosso.` },
      ...because('Il motivo:', reason),
      { paragraph: 'Puoi pubblicare di nuovo tutto ciò che le nostre regole consentono.' },
    ],
  }),
  ko: ({ title, reason }) => ({
    subject: `게시물이 거절되었습니다: ${title}`,
    parts: [
      { paragraph: `게시물 "${title}"을(를) 검토한 결과 삭제했습니다.` },
      ...because('사유:', reason),
      { paragraph: '이용 규칙에 맞는 물품은 언제든지 다시 등록하실 수 있습니다.' },
    ],
  }),
  ja: ({ title, reason }) => ({
    subject: `出品が承認されませんでした: ${title}`,
    parts: [
      { paragraph: `「${title}」を確認した結果、出品を取り下げました。` },
      ...because('理由:', reason),
      { paragraph: '利用規約に沿った内容であれば、いつでも改めて出品していただけます。' },
    ],
  }),
};

/** Tells an owner that an administrator has refused a listing, and why: `{title, reason?}`. */
export function renderListingRejected(data: Record<string, unknown>, locale: Locale): Message {
  return wording[locale](fields.parse(data));
}
