import type { Locale } from '../../shared/profiles/profile.ts';

/** The links under every mail. */
type FooterWords = { imprint: string; unsubscribe: string };

/** The same in every language that the service writes. */
export const footerWords: Readonly<Record<Locale, FooterWords>> = {
  en: { imprint: 'Imprint', unsubscribe: 'Stop these mails' },
  es: { imprint: 'Aviso legal', unsubscribe: 'Dejar de recibir estos correos' },
  fr: { imprint: 'Mentions légales', unsubscribe: 'Ne plus recevoir ces messages' },
  de: { imprint: 'Impressum', unsubscribe: 'Diese Mails abbestellen' },
  it: { imprint: 'Note legali', unsubscribe: 'Non ricevere più questi messaggi' },
  ko: { imprint: '사업자 정보', unsubscribe: '이 메일 그만 받기' },
  ja: { imprint: '運営者情報', unsubscribe: 'このメールの配信を停止する' },
};
