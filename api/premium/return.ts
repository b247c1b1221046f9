import { escapeHtml } from '../../shared/kit/html.ts';
import { urlTo } from '../../shared/kit/site-links.ts';
import type { Locale } from '../../shared/profiles/profile.ts';
import { renderPage } from '../http/page.ts';
import type { Handler } from '../handler.ts';

/** The page to which the payment provider sends a buyer back. What was really paid, its webhook tells. */
export const getCheckoutReturn: Handler<'getCheckoutReturn'> = ({ config }, { query, locale }) => {
  const { paid, left, see } = words[locale];
  const [title, text] = query.paid ? paid : left;
  const listing = escapeHtml(urlTo(config.site, 'listing', { slug: query.listing }));
  const content = `<p>${text}</p>\n<p><a href="${listing}">${see}</a></p>`;
  return { status: 200, ...renderPage(config, { locale, title, content }) };
};

const words: Record<Locale, { paid: [string, string]; left: [string, string]; see: string }> = {
  en: {
    paid: [
      'Thank you for your order',
      'As soon as the payment is confirmed, your listing is promoted and you get a mail.',
    ],
    left: ['The checkout was left', 'Nothing was paid, and nothing has changed.'],
    see: 'See the listing',
  },
  es: {
    paid: ['Gracias por tu pedido', 'En cuanto se confirme el pago, tu anuncio se destacará y recibirás un correo.'],
    left: ['Has salido del pago', 'No se ha pagado nada y nada ha cambiado.'],
    see: 'Ver el anuncio',
  },
  fr: {
    paid: [
      'Merci pour votre commande',
      'Dès que le paiement est confirmé, votre annonce est mise en avant et vous recevez un e-mail.',
    ],
    left: ['Le paiement a été abandonné', 'Rien n’a été payé et rien n’a changé.'],
    see: 'Voir l’annonce',
  },
  de: {
    paid: [
      'Danke für Ihre Bestellung',
      'Sobald die Zahlung bestätigt ist, wird Ihre Anzeige hervorgehoben, und Sie bekommen eine Mail.',
    ],
    left: ['Der Kauf wurde abgebrochen', 'Es wurde nichts bezahlt, und nichts hat sich geändert.'],
    see: 'Zur Anzeige',
  },
  it: {
    paid: [
      'Grazie per il tuo ordine',
      'Appena il pagamento è confermato, il tuo annuncio viene messo in evidenza e ricevi un’e-mail.',
    ],
    left: ['Il pagamento è stato interrotto', 'Non è stato pagato nulla e nulla è cambiato.'],
    see: 'Vedi l’annuncio',
  },
  ko: {
    paid: ['주문해 주셔서 감사합니다', '결제가 확인되면 매물이 상단에 노출되고 메일로 알려 드립니다.'],
    left: ['결제가 취소되었습니다', '결제된 금액이 없으며 변경된 내용도 없습니다.'],
    see: '매물 보기',
  },
  ja: {
    paid: ['ご注文ありがとうございます', 'お支払いが確認でき次第、出品が上位に表示され、メールでお知らせします。'],
    left: ['お支払いは中断されました', '料金は発生しておらず、何も変更されていません。'],
    see: '出品を見る',
  },
};
