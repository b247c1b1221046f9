import type { Locale } from '../../shared/profiles/profile.ts';
import { renderBooking, type BookingValues } from './booking-data.ts';
import type { Message, Wording } from './layout.ts';

const wording: Wording<BookingValues> = {
  en: ({ title, terms, list_url }) => ({
    subject: `No answer: ${title}`,
    parts: [
      { paragraph: `The owner of "${title}" has not answered within 48 hours, so your request has lapsed:` },
      { paragraph: terms },
      { paragraph: 'You can ask again, or look for another boat.' },
      { link: list_url, label: 'Find another boat' },
    ],
  }),
  es: ({ title, terms, list_url }) => ({
    subject: `Sin respuesta: ${title}`,
    parts: [
      { paragraph: `El propietario de «${title}» no ha respondido en 48 horas y tu solicitud ha caducado:` },
      { paragraph: terms },
      { paragraph: 'Puedes volver a solicitarlo o buscar otro barco.' },
      { link: list_url, label: 'Buscar otro barco' },
    ],
  }),
  fr: ({ title, terms, list_url }) => ({
    subject: `Sans réponse : ${title}`,
    parts: [
      { paragraph: `Le propriétaire de « ${title} » n'a pas répondu sous 48 heures ; votre demande a expiré :` },
      { paragraph: terms },
      { paragraph: 'Vous pouvez refaire une demande ou chercher un autre bateau.' },
      { link: list_url, label: 'Trouver un autre bateau' },
    ],
  }),
  de: ({ title, terms, list_url }) => ({
    subject: `Keine Antwort: ${title}`,
    parts: [
      { paragraph: `Für „${title}“ kam innerhalb von 48 Stunden keine Antwort. Ihre Anfrage ist verfallen:` },
      { paragraph: terms },
      { paragraph: 'Sie können erneut anfragen oder ein anderes Boot suchen.' },
      { link: list_url, label: 'Ein anderes Boot finden' },
    ],
  }),
  it: ({ title, terms, list_url }) => ({
    subject: `Nessuna risposta: ${title}`,
    parts: [
      { paragraph: `Il proprietario di «${title}» non ha risposto entro 48 ore, quindi la tua richiesta è decaduta:` },
      { paragraph: terms },
      { paragraph: "Puoi inviare una nuova richiesta o cercare un'altra barca." },
      { link: list_url, label: "Trova un'altra barca" },
    ],
  }),
  ko: ({ title, terms, list_url }) => ({
    subject: `응답이 없었습니다: ${title}`,
    parts: [
      { paragraph: `"${title}" 소유자가 48시간 안에 응답하지 않아 요청이 만료되었습니다:` },
      { paragraph: terms },
      { paragraph: '다시 요청하거나 다른 보트를 찾아보세요.' },
      { link: list_url, label: '다른 보트 찾기' },
    ],
  }),
  ja: ({ title, terms, list_url }) => ({
    subject: `返答がありませんでした: ${title}`,
    parts: [
      { paragraph: `「${title}」のオーナーから48時間以内に返答がなかったため、リクエストは失効しました。` },
      { paragraph: terms },
      { paragraph: 'もう一度リクエストするか、ほかのボートを探してみてください。' },
      { link: list_url, label: 'ほかのボートを探す' },
    ],
  }),
};

/** Tells one who has asked for a boat that no answer came in time: `{booking_id}`. */
export function renderBookingLapsed(data: Record<string, unknown>, locale: Locale): Message {
  return renderBooking(wording, data, locale);
}
