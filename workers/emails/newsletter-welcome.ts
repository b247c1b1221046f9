import type { Locale } from '../../shared/profiles/profile.ts';
import type { Message, Wording } from './layout.ts';

const wording: Wording<object> = {
  en: () => ({
    subject: 'Welcome to our newsletter',
    parts: [
      {
        paragraph:
          'This address is on the list of our newsletter from now on. We write when there is something worth reading, and never pass your address on.',
      },
      {
        paragraph:
          'If it was not you who subscribed, or you have changed your mind, the link below takes you off the list at once.',
      },
    ],
  }),
  es: () => ({
    subject: 'Te damos la bienvenida a nuestro boletín',
    parts: [
      {
        paragraph:
          'Esta dirección ya forma parte de la lista de nuestro boletín. Te escribiremos cuando haya algo que merezca la pena leer y nunca cederemos tu dirección a nadie.',
      },
      {
        paragraph:
          'Si no has sido tú quien se ha suscrito, o si has cambiado de opinión, el enlace de abajo te da de baja al instante.',
      },
    ],
  }),
  fr: () => ({
    subject: "Bienvenue dans notre lettre d'information",
    parts: [
      {
        paragraph:
          "Cette adresse est désormais inscrite à notre lettre d'information. Nous écrivons lorsqu'il y a quelque chose d'intéressant à lire et ne transmettons jamais votre adresse.",
      },
      {
        paragraph:
          "Si vous n'êtes pas à l'origine de cette inscription, ou si vous avez changé d'avis, le lien ci-dessous y met fin immédiatement.",
      },
    ],
  }),
  de: () => ({
    subject: 'Willkommen bei unserem Newsletter',
    parts: [
      {
        paragraph:
          'Diese Adresse steht ab jetzt auf der Liste unseres Newsletters. Wir schreiben, wenn es Lesenswertes gibt, und geben Ihre Adresse nie weiter.',
      },
      {
        paragraph:
          'Haben nicht Sie sich angemeldet oder haben Sie es sich anders überlegt? Der Link unten nimmt Sie sofort wieder von der Liste.',
      },
    ],
  }),
  it: () => ({
    subject: 'Ti diamo il benvenuto nella nostra newsletter',
    parts: [
      {
        paragraph:
          "Da oggi questo indirizzo è iscritto alla nostra newsletter. Scriviamo quando c'è qualcosa che vale la pena leggere e non cediamo mai il tuo indirizzo ad altri.",
      },
      {
        paragraph:
          "Se l'iscrizione non è opera tua, o se hai cambiato idea, con il link qui sotto puoi lasciare subito la lista.",
      },
    ],
  }),
  ko: () => ({
    subject: '뉴스레터 구독을 환영합니다',
    parts: [
      {
        paragraph:
          '이 주소가 뉴스레터 수신 목록에 등록되었습니다. 읽을 만한 소식이 있을 때만 보내 드리며, 주소를 다른 곳에 제공하지 않습니다.',
      },
      {
        paragraph: '직접 신청하지 않으셨거나 더 이상 받고 싶지 않으시면 아래 링크로 바로 수신을 중단할 수 있습니다.',
      },
    ],
  }),
  ja: () => ({
    subject: 'ニュースレターへようこそ',
    parts: [
      {
        paragraph:
          'このアドレスをニュースレターの配信先に登録しました。お知らせしたいことがあるときにお届けします。アドレスを第三者に渡すことはありません。',
      },
      {
        paragraph: 'お心当たりがない場合や、配信が不要になった場合は、下のリンクからすぐに停止できます。',
      },
    ],
  }),
};

/** Greets a new subscriber of the newsletter: `{}`. */
export function renderNewsletterWelcome(_data: Record<string, unknown>, locale: Locale): Message {
  return wording[locale]({});
}
