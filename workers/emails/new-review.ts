import { z } from 'zod';
import { urlTo } from '../../shared/kit/site-links.ts';
import type { Locale } from '../../shared/profiles/profile.ts';
import type { WorkerServices } from '../services.ts';
import { loadListingCard } from './card.ts';
import type { Message, Part, Wording } from './layout.ts';

const reference = z.object({ review_id: z.string(), title: z.string() });
const fields = z.object({
  reviewer: z.string(),
  title: z.string(),
  rating: z.number().int().min(1).max(5),
  comment: z.string().nullable(),
  url: z.url({ protocol: /^https?$/ }),
});

const quoted = (comment: string | null): Part[] => (comment === null ? [] : [{ quote: comment }]);

const wording: Wording<z.infer<typeof fields>> = {
  en: ({ reviewer, title, rating, comment, url }) => ({
    subject: `New review: ${title}`,
    parts: [
      { paragraph: `${reviewer} has given you ${rating} of 5 stars for "${title}".` },
      ...quoted(comment),
      { paragraph: 'Everybody can read the review. You can reply to it once.' },
      { link: url, label: 'See your reviews' },
    ],
  }),
  es: ({ reviewer, title, rating, comment, url }) => ({
    subject: `Nueva valoración: ${title}`,
    parts: [
      { paragraph: `${reviewer} te ha dado ${rating} de 5 estrellas por «${title}».` },
      ...quoted(comment),
      { paragraph: 'Todos pueden leer la valoración. Puedes responder a ella una vez.' },
      { link: url, label: 'Ver tus valoraciones' },
    ],
  }),
  fr: ({ reviewer, title, rating, comment, url }) => ({
    subject: `Nouvel avis : ${title}`,
    parts: [
      {
        paragraph: `${reviewer} vous a attribué ${rating} ${rating === 1 ? 'étoile' : 'étoiles'} sur 5 pour « ${title} ».`,
      },
      ...quoted(comment),
      { paragraph: 'Tout le monde peut lire cet avis. Vous pouvez y répondre une fois.' },
      { link: url, label: 'Voir vos avis' },
    ],
  }),
  de: ({ reviewer, title, rating, comment, url }) => ({
    subject: `Neue Bewertung: ${title}`,
    parts: [
      { paragraph: `${reviewer} hat Ihnen für „${title}“ ${rating} von 5 Sternen gegeben.` },
      ...quoted(comment),
      { paragraph: 'Alle können die Bewertung lesen. Sie können einmal darauf antworten.' },
      { link: url, label: 'Ihre Bewertungen ansehen' },
    ],
  }),
  it: ({ reviewer, title, rating, comment, url }) => ({
    subject: `Nuova recensione: ${title}`,
    parts: [
      { paragraph: `${reviewer} ti ha dato ${rating} ${rating === 1 ? 'stella' : 'stelle'} su 5 per «${title}».` },
      ...quoted(comment),
      { paragraph: 'Tutti possono leggere la recensione. Puoi rispondere una volta sola.' },
      { link: url, label: 'Vedi le tue recensioni' },
    ],
  }),
  ko: ({ reviewer, title, rating, comment, url }) => ({
    subject: `새 후기: ${title}`,
    parts: [
      { paragraph: `${reviewer} 님이 "${title}"에 대해 별점 5점 만점에 ${rating}점을 남겼습니다.` },
      ...quoted(comment),
      { paragraph: '이 후기는 누구나 볼 수 있습니다. 답글은 한 번만 남길 수 있습니다.' },
      { link: url, label: '내 후기 보기' },
    ],
  }),
  ja: ({ reviewer, title, rating, comment, url }) => ({
    subject: `新しいレビュー: ${title}`,
    parts: [
      { paragraph: `${reviewer}さんが「${title}」に星5つ中${rating}つの評価をつけました。` },
      ...quoted(comment),
      { paragraph: 'レビューはどなたでも読むことができます。返信は一度だけできます。' },
      { link: url, label: 'レビューを見る' },
    ],
  }),
};

/** What the mail about the review `{review_id}` of the listing `{title}` says; undefined without that review. */
export async function loadNewReview(
  services: Pick<WorkerServices, 'db' | 'config'>,
  data: Record<string, unknown>,
): Promise<Record<string, unknown> | undefined | null> {
  const { review_id: id, title } = reference.parse(data);
  const row = await services.db
    .selectFrom('reviews as r')
    .innerJoin('users as u', 'u.id', 'r.reviewer_id')
    .select(['r.rating', 'r.comment', 'r.seller_id', 'r.listing_id', 'r.removed_at', 'u.name', 'u.disabled_at'])
    .where('r.id', '=', id)
    .executeTakeFirst();
  if (!row) return undefined;
  if (row.disabled_at || row.removed_at) return null;
  return {
    reviewer: row.name.replaceAll(/[\s\p{Cc}]+/gu, ' ').trim(),
    title,
    rating: row.rating,
    comment: row.comment,
    card: await loadListingCard(services, row.listing_id),
    url: urlTo(services.config.site, 'seller', { id: row.seller_id }),
  };
}

/** Tells a seller what a buyer thinks of them: `{reviewer, title, rating, comment, url}`. */
export function renderNewReview(data: Record<string, unknown>, locale: Locale): Message {
  return wording[locale](fields.parse(data));
}
