import { z } from 'zod';
import type { Locale } from '../../shared/profiles/profile.ts';
import type { Message, Wording } from './layout.ts';

const fields = z.object({ title: z.string(), url: z.url({ protocol: /^https?$/ }) });

const wording: Wording<z.infer<typeof fields>> = {
  en: ({ title, url }) => ({
    subject: `Sold: ${title}`,
    parts: [
      {
        paragraph: `Congratulations! Your listing "${title}" is marked as sold. Buyers still find its page, but not among what is for sale.`,
      },
      { paragraph: 'If the sale falls through, set its status back to active: it is on the market again at once.' },
      { link: url, label: 'See the listing' },
    ],
  }),
  es: ({ title, url }) => ({
    subject: `Vendido: ${title}`,
    parts: [
      {
        paragraph: `¡Enhorabuena! Tu anuncio «${title}» está marcado como vendido. Su página sigue visible, pero ya no aparece entre lo que está en venta.`,
      },
      { paragraph: 'Si la venta no llega a buen puerto, vuelve a activarlo y estará de nuevo a la venta al instante.' },
      { link: url, label: 'Ver el anuncio' },
    ],
  }),
  fr: ({ title, url }) => ({
    subject: `Vendu : ${title}`,
    parts: [
      {
        paragraph: `Félicitations ! Votre annonce « ${title} » est marquée comme vendue. Sa page reste visible, mais elle n'apparaît plus parmi les offres en vente.`,
      },
      { paragraph: "Si la vente n'aboutit pas, réactivez l'annonce : elle sera aussitôt de nouveau en vente." },
      { link: url, label: "Voir l'annonce" },
    ],
  }),
  de: ({ title, url }) => ({
    subject: `Verkauft: ${title}`,
    parts: [
      {
        paragraph: `Herzlichen Glückwunsch! Ihre Anzeige „${title}“ ist als verkauft markiert. Ihre Seite bleibt sichtbar, erscheint aber nicht mehr unter den Angeboten.`,
      },
      {
        paragraph:
          'Sollte der Verkauf nicht zustande kommen, aktivieren Sie die Anzeige wieder: Sie ist dann sofort zurück am Markt.',
      },
      { link: url, label: 'Anzeige ansehen' },
    ],
  }),
  it: ({ title, url }) => ({
    subject: `Venduto: ${title}`,
    parts: [
      {
        paragraph: `Congratulazioni! Il tuo annuncio «${title}» è segnato come venduto. La sua pagina resta visibile, ma non compare più tra le offerte in vendita.`,
      },
      { paragraph: "Se la vendita non va in porto, riattiva l'annuncio: tornerà subito in vendita." },
      { link: url, label: "Vedi l'annuncio" },
    ],
  }),
  ko: ({ title, url }) => ({
    subject: `판매 완료: ${title}`,
    parts: [
      {
        paragraph: `축하합니다! 게시물 "${title}"이(가) 판매 완료로 표시되었습니다. 게시물 페이지는 계속 볼 수 있지만 판매 중인 목록에는 더 이상 나타나지 않습니다.`,
      },
      { paragraph: '거래가 성사되지 않았다면 상태를 다시 판매 중으로 바꿔 주세요. 곧바로 다시 공개됩니다.' },
      { link: url, label: '게시물 보기' },
    ],
  }),
  ja: ({ title, url }) => ({
    subject: `売却済み: ${title}`,
    parts: [
      {
        paragraph: `おめでとうございます。「${title}」は売却済みになりました。出品ページは引き続き表示されますが、販売中の一覧には表示されません。`,
      },
      { paragraph: '取引が成立しなかった場合は、状態を公開中に戻してください。すぐに販売を再開できます。' },
      { link: url, label: '出品を見る' },
    ],
  }),
};

/** Tells an owner that a listing is marked as sold: `{title, url}`. */
export function renderListingSold(data: Record<string, unknown>, locale: Locale): Message {
  return wording[locale](fields.parse(data));
}
