import { z } from 'zod';
import type { Locale } from '../../shared/profiles/profile.ts';
import type { Message, Wording } from './layout.ts';

const fields = z.object({
  payment_id: z.string(),
  title: z.string(),
  url: z.url({ protocol: /^https?$/ }),
  /** Featured listings come first; others are marked as urgent. */
  featured: z.boolean(),
  duration: z.int().min(1),
  until: z.iso.datetime(),
  paid_at: z.iso.datetime(),
  amount_cents: z.int().min(0),
  currency: z.string().length(3),
});

/** As the recipient reads them: days and money written out in the language of the mail. */
type Values = Pick<z.infer<typeof fields>, 'title' | 'url' | 'featured' | 'duration' | 'payment_id'> & {
  until: string;
  paidAt: string;
  price: string;
};

const wording: Wording<Values> = {
  en: ({ title, url, featured, duration, until, paidAt, price, payment_id: number }) => ({
    subject: `Your listing is promoted: ${title}`,
    parts: [
      {
        paragraph: featured
          ? `Thank you for your order. Your listing "${title}" is featured until ${until}: it comes first in the lists that it belongs to.`
          : `Thank you for your order. Your listing "${title}" is marked as urgent until ${until}.`,
      },
      {
        paragraph: `Your receipt: ${featured ? 'Featured' : 'Urgent'} for ${duration} days, ${price}, paid on ${paidAt}. Order number ${number}.`,
      },
      { link: url, label: 'See the listing' },
    ],
  }),
  es: ({ title, url, featured, duration, until, paidAt, price, payment_id: number }) => ({
    subject: `Tu anuncio está promocionado: ${title}`,
    parts: [
      {
        paragraph: featured
          ? `Gracias por tu compra. Tu anuncio «${title}» aparece como destacado hasta el ${until}: sale el primero en las listas en las que figura.`
          : `Gracias por tu compra. Tu anuncio «${title}» aparece marcado como urgente hasta el ${until}.`,
      },
      {
        paragraph: `Tu recibo: ${featured ? 'Destacado' : 'Urgente'} durante ${duration} días, ${price}, pagado el ${paidAt}. Número de pedido ${number}.`,
      },
      { link: url, label: 'Ver el anuncio' },
    ],
  }),
  fr: ({ title, url, featured, duration, until, paidAt, price, payment_id: number }) => ({
    subject: `Votre annonce est mise en avant : ${title}`,
    parts: [
      {
        paragraph: featured
          ? `Merci pour votre commande. Votre annonce « ${title} » est à la une jusqu'au ${until} : elle apparaît en tête des listes où elle figure.`
          : `Merci pour votre commande. Votre annonce « ${title} » est signalée comme urgente jusqu'au ${until}.`,
      },
      {
        paragraph: `Votre reçu : ${featured ? 'À la une' : 'Urgent'} pendant ${duration} jours, ${price}, payé le ${paidAt}. Numéro de commande ${number}.`,
      },
      { link: url, label: "Voir l'annonce" },
    ],
  }),
  de: ({ title, url, featured, duration, until, paidAt, price, payment_id: number }) => ({
    subject: `Ihre Anzeige wird hervorgehoben: ${title}`,
    parts: [
      {
        paragraph: featured
          ? `Vielen Dank für Ihre Bestellung. Ihre Anzeige „${title}“ steht bis zum ${until} als Topanzeige ganz oben in den Listen, zu denen sie gehört.`
          : `Vielen Dank für Ihre Bestellung. Ihre Anzeige „${title}“ ist bis zum ${until} als dringend gekennzeichnet.`,
      },
      {
        paragraph: `Ihr Beleg: ${featured ? 'Topanzeige' : 'Dringend'} für ${duration} Tage, ${price}, bezahlt am ${paidAt}. Bestellnummer ${number}.`,
      },
      { link: url, label: 'Anzeige ansehen' },
    ],
  }),
  it: ({ title, url, featured, duration, until, paidAt, price, payment_id: number }) => ({
    subject: `Il tuo annuncio è in promozione: ${title}`,
    parts: [
      {
        paragraph: featured
          ? `Grazie per il tuo ordine. Il tuo annuncio «${title}» è in vetrina fino al giorno ${until}: compare per primo negli elenchi di cui fa parte.`
          : `Grazie per il tuo ordine. Il tuo annuncio «${title}» è contrassegnato come urgente fino al giorno ${until}.`,
      },
      {
        paragraph: `La tua ricevuta: ${featured ? 'In vetrina' : 'Urgente'} per ${duration} giorni, ${price}, pagato in data ${paidAt}. Numero d'ordine ${number}.`,
      },
      { link: url, label: "Vedi l'annuncio" },
    ],
  }),
  ko: ({ title, url, featured, duration, until, paidAt, price, payment_id: number }) => ({
    subject: `게시물 프로모션이 시작되었습니다: ${title}`,
    parts: [
      {
        paragraph: featured
          ? `주문해 주셔서 감사합니다. 게시물 "${title}"은(는) ${until}까지 추천 게시물로 목록 맨 위에 표시됩니다.`
          : `주문해 주셔서 감사합니다. 게시물 "${title}"에 ${until}까지 '급매' 표시가 붙습니다.`,
      },
      {
        paragraph: `영수증: ${featured ? '추천 게시물' : '급매 표시'} ${duration}일, ${price}, 결제일 ${paidAt}. 주문 번호 ${number}.`,
      },
      { link: url, label: '게시물 보기' },
    ],
  }),
  ja: ({ title, url, featured, duration, until, paidAt, price, payment_id: number }) => ({
    subject: `出品のプロモーションが始まりました: ${title}`,
    parts: [
      {
        paragraph: featured
          ? `ご注文ありがとうございます。「${title}」は${until}まで注目の出品として一覧の先頭に表示されます。`
          : `ご注文ありがとうございます。「${title}」には${until}まで「至急」の表示が付きます。`,
      },
      {
        paragraph: `領収内容: ${featured ? '注目の出品' : '至急表示'} ${duration}日間、${price}、お支払い日 ${paidAt}。注文番号 ${number}。`,
      },
      { link: url, label: '出品を見る' },
    ],
  }),
};

/** Tells a buyer that a listing is promoted, until when and what was paid; `{payment_id, title, url, featured, duration, until, paid_at, amount_cents, currency}`. */
export function renderPremiumActivated(data: Record<string, unknown>, locale: Locale): Message {
  const { until, paid_at, amount_cents, currency, ...values } = fields.parse(data);
  const day = new Intl.DateTimeFormat(locale, { dateStyle: 'long', timeZone: 'UTC' });
  const money = new Intl.NumberFormat(locale, { style: 'currency', currency });
  return wording[locale]({
    ...values,
    until: day.format(new Date(until)),
    paidAt: day.format(new Date(paid_at)),
    price: money.format(amount_cents / 100),
  });
}
