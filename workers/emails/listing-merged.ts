import { z } from 'zod';
import { urlTo } from '../../shared/kit/site-links.ts';
import type { Locale } from '../../shared/profiles/profile.ts';
import type { WorkerServices } from '../services.ts';
import { loadListingCard } from './card.ts';
import type { Message, Wording } from './layout.ts';

const reference = z.object({ listing_id: z.string() });
const fields = z.object({ title: z.string(), kept_title: z.string(), url: z.url({ protocol: /^https?$/ }) });

const wording: Wording<z.infer<typeof fields>> = {
  en: ({ title, kept_title, url }) => ({
    subject: `Your listing was merged with another one: ${title}`,
    parts: [
      {
        paragraph: `Your listing "${title}" offers the same thing as the listing "${kept_title}". We have merged the two: yours is no longer shown, and whoever had saved it now finds the other one.`,
      },
      { link: url, label: 'See the listing that stays' },
      { paragraph: 'If they are two different things, tell us: a merge can be undone.' },
    ],
  }),
  es: ({ title, kept_title, url }) => ({
    subject: `Tu anuncio se ha fusionado con otro: ${title}`,
    parts: [
      {
        paragraph: `Tu anuncio «${title}» ofrece lo mismo que el anuncio «${kept_title}». Hemos fusionado los dos: el tuyo ya no se muestra y quienes lo habían guardado encuentran ahora el otro.`,
      },
      { link: url, label: 'Ver el anuncio que se mantiene' },
      { paragraph: 'Si se trata de dos cosas distintas, avísanos: la fusión se puede deshacer.' },
    ],
  }),
  fr: ({ title, kept_title, url }) => ({
    subject: `Votre annonce a été fusionnée avec une autre : ${title}`,
    parts: [
      {
        paragraph: `Votre annonce « ${title} » propose la même chose que l'annonce « ${kept_title} ». Nous avons fusionné les deux : la vôtre n'est plus affichée, et les personnes qui l'avaient enregistrée trouvent désormais l'autre.`,
      },
      { link: url, label: "Voir l'annonce conservée" },
      { paragraph: "S'il s'agit de deux choses différentes, dites-le-nous : une fusion peut être annulée." },
    ],
  }),
  de: ({ title, kept_title, url }) => ({
    subject: `Ihre Anzeige wurde mit einer anderen zusammengeführt: ${title}`,
    parts: [
      {
        paragraph: `Ihre Anzeige „${title}“ bietet dasselbe an wie die Anzeige „${kept_title}“. Wir haben beide zusammengeführt: Ihre wird nicht mehr gezeigt, und wer sie gemerkt hatte, findet jetzt die andere.`,
      },
      { link: url, label: 'Die verbleibende Anzeige ansehen' },
      {
        paragraph:
          'Falls es sich um zwei verschiedene Dinge handelt, sagen Sie uns Bescheid: Das Zusammenführen lässt sich rückgängig machen.',
      },
    ],
  }),
  it: ({ title, kept_title, url }) => ({
    subject: `Il tuo annuncio è stato unito a un altro: ${title}`,
    parts: [
      {
        paragraph: `Il tuo annuncio «${title}» offre la stessa cosa dell'annuncio «${kept_title}». Abbiamo unito i due: il tuo non viene più mostrato e chi lo aveva salvato ora trova l'altro.`,
      },
      { link: url, label: "Vedi l'annuncio che rimane" },
      { paragraph: "Se si tratta di due cose diverse, faccelo sapere: l'unione può essere annullata." },
    ],
  }),
  ko: ({ title, kept_title, url }) => ({
    subject: `게시물이 다른 게시물과 통합되었습니다: ${title}`,
    parts: [
      {
        paragraph: `게시물 "${title}"은(는) 게시물 "${kept_title}"과(와) 같은 물품으로 확인되어 하나로 통합되었습니다. 회원님의 게시물은 더 이상 표시되지 않으며, 이 게시물을 저장한 사람에게는 통합된 게시물이 보입니다.`,
      },
      { link: url, label: '통합된 게시물 보기' },
      { paragraph: '서로 다른 물품이라면 알려 주세요. 통합은 취소할 수 있습니다.' },
    ],
  }),
  ja: ({ title, kept_title, url }) => ({
    subject: `出品が別の出品と統合されました: ${title}`,
    parts: [
      {
        paragraph: `「${title}」は「${kept_title}」と同じものの出品と判断し、一つに統合しました。お客様の出品は表示されなくなり、保存していた方には統合先の出品が表示されます。`,
      },
      { link: url, label: '統合先の出品を見る' },
      { paragraph: '別のものである場合はお知らせください。統合は取り消すことができます。' },
    ],
  }),
};

/** Which listing it is merged into by now, and both titles; null when the merge was taken back. */
export async function loadListingMerged(
  services: Pick<WorkerServices, 'db' | 'config'>,
  data: Record<string, unknown>,
): Promise<Record<string, unknown> | null> {
  const { listing_id: id } = reference.parse(data);
  const row = await services.db
    .selectFrom('listings as l')
    .innerJoin('listings as k', 'k.id', 'l.merged_into')
    .select(['l.title', 'k.title as kept_title', 'k.slug', 'k.id as kept_id'])
    .where('l.id', '=', id)
    .where('l.status', '=', 'deleted')
    .executeTakeFirst();
  if (!row) return null;
  const { title, kept_title, kept_id, slug } = row;
  const card = await loadListingCard(services, kept_id);
  return { title, kept_title, card, url: urlTo(services.config.site, 'listing', { slug }) };
}

/** Tells an owner that a listing is now part of somebody else's: `{title, kept_title, url}`, the link being to the one that stays. */
export function renderListingMerged(data: Record<string, unknown>, locale: Locale): Message {
  return wording[locale](fields.parse(data));
}
