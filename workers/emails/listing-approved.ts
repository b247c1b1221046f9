import { z } from 'zod';
import type { Locale } from '../../shared/profiles/profile.ts';
import type { WorkerServices } from '../services.ts';
import { loadWithCard } from './card.ts';
import type { Message, Wording } from './layout.ts';

const fields = z.object({ title: z.string(), url: z.url({ protocol: /^https?$/ }) });

const wording: Wording<z.infer<typeof fields>> = {
  en: ({ title, url }) => ({
    subject: `Your listing is online: ${title}`,
    parts: [
      {
        paragraph: `Your listing "${title}" is online now. Everybody can find it for the next 30 days; renew it in time to keep it there.`,
      },
      { link: url, label: 'See the listing' },
    ],
  }),
  es: ({ title, url }) => ({
    subject: `Tu anuncio está publicado: ${title}`,
    parts: [
      {
        paragraph: `Tu anuncio «${title}» ya está publicado. Todos pueden encontrarlo durante los próximos 30 días; renuévalo a tiempo para que siga visible.`,
      },
      { link: url, label: 'Ver el anuncio' },
    ],
  }),
  fr: ({ title, url }) => ({
    subject: `Votre annonce est en ligne : ${title}`,
    parts: [
      {
        paragraph: `Votre annonce « ${title} » est maintenant en ligne. Tout le monde peut la trouver pendant 30 jours ; renouvelez-la à temps pour qu'elle y reste.`,
      },
      { link: url, label: "Voir l'annonce" },
    ],
  }),
  de: ({ title, url }) => ({
    subject: `Ihre Anzeige ist online: ${title}`,
    parts: [
      {
        paragraph: `Ihre Anzeige „${title}“ ist jetzt online. Alle können sie in den nächsten 30 Tagen finden; verlängern Sie sie rechtzeitig, damit sie sichtbar bleibt.`,
      },
      { link: url, label: 'Anzeige ansehen' },
    ],
  }),
  it: ({ title, url }) => ({
    subject: `Il tuo annuncio è online: ${title}`,
    parts: [
      {
        paragraph: `Il tuo annuncio «${title}» è ora online. Tutti possono trovarlo per i prossimi 30 giorni; rinnovalo in tempo perché resti visibile.`,
      },
      { link: url, label: "Vedi l'annuncio" },
    ],
  }),
  ko: ({ title, url }) => ({
    subject: `게시물이 공개되었습니다: ${title}`,
    parts: [
      {
        paragraph: `게시물 "${title}"이(가) 공개되었습니다. 앞으로 30일 동안 누구나 찾아볼 수 있습니다. 계속 공개하려면 기간이 끝나기 전에 갱신해 주세요.`,
      },
      { link: url, label: '게시물 보기' },
    ],
  }),
  ja: ({ title, url }) => ({
    subject: `出品が公開されました: ${title}`,
    parts: [
      {
        paragraph: `「${title}」が公開されました。今後30日間、どなたでも見つけることができます。掲載を続けるには、期限前に更新してください。`,
      },
      { link: url, label: '出品を見る' },
    ],
  }),
};

/** The listing with its card; null for one that has been hidden meanwhile, as by the check for scams: its owner gets the reasons. */
export async function loadListingApproved(
  services: Pick<WorkerServices, 'db' | 'config'>,
  data: Record<string, unknown>,
): Promise<Record<string, unknown> | null> {
  const { listing_id: id } = z.object({ listing_id: z.string().optional() }).parse(data);
  const listing =
    id === undefined
      ? undefined
      : await services.db.selectFrom('listings').select('status').where('id', '=', id).executeTakeFirst();
  return listing?.status === 'flagged' ? null : loadWithCard(services, data);
}

/** Tells an owner that a listing is public now: `{title, url}`. */
export function renderListingApproved(data: Record<string, unknown>, locale: Locale): Message {
  return wording[locale](fields.parse(data));
}
