import type { Locale } from '../../shared/profiles/profile.ts';
import { renderBooking, type BookingValues } from './booking-data.ts';
import type { Message, Wording } from './layout.ts';

const wording: Wording<BookingValues> = {
  en: ({ title, terms, list_url }) => ({
    subject: `Not available: ${title}`,
    parts: [
      { paragraph: `The owner cannot let you have "${title}" for the time you asked for:` },
      { paragraph: terms },
      { paragraph: 'Nothing is owed. Perhaps another boat is free.' },
      { link: list_url, label: 'Find another boat' },
    ],
  }),
  es: ({ title, terms, list_url }) => ({
    subject: `No disponible: ${title}`,
    parts: [
      { paragraph: `El propietario no puede cederte «${title}» en las fechas que pediste:` },
      { paragraph: terms },
      { paragraph: 'No debes nada. Quizá haya otro barco libre.' },
      { link: list_url, label: 'Buscar otro barco' },
    ],
  }),
  fr: ({ title, terms, list_url }) => ({
    subject: `Non disponible : ${title}`,
    parts: [
      { paragraph: `Le propriétaire ne peut pas vous louer « ${title} » aux dates demandées :` },
      { paragraph: terms },
      { paragraph: 'Vous ne devez rien. Un autre bateau est peut-être libre.' },
      { link: list_url, label: 'Trouver un autre bateau' },
    ],
  }),
  de: ({ title, terms, list_url }) => ({
    subject: `Leider abgelehnt: ${title}`,
    parts: [
      { paragraph: `Für den gewünschten Zeitraum können Sie „${title}“ leider nicht mieten:` },
      { paragraph: terms },
      { paragraph: 'Es entstehen Ihnen keine Kosten. Vielleicht ist ein anderes Boot frei.' },
      { link: list_url, label: 'Ein anderes Boot finden' },
    ],
  }),
  it: ({ title, terms, list_url }) => ({
    subject: `Non disponibile: ${title}`,
    parts: [
      { paragraph: `Il proprietario non può noleggiarti «${title}» nelle date richieste:` },
      { paragraph: terms },
      { paragraph: "Non devi nulla. Forse c'è un'altra barca libera." },
      { link: list_url, label: "Trova un'altra barca" },
    ],
  }),
  ko: ({ title, terms, list_url }) => ({
    subject: `예약이 거절되었습니다: ${title}`,
    parts: [
      { paragraph: `요청하신 기간에는 "${title}"을(를) 대여할 수 없습니다:` },
      { paragraph: terms },
      { paragraph: '비용은 발생하지 않습니다. 다른 보트를 찾아보세요.' },
      { link: list_url, label: '다른 보트 찾기' },
    ],
  }),
  ja: ({ title, terms, list_url }) => ({
    subject: `予約できませんでした: ${title}`,
    parts: [
      { paragraph: `ご希望の期間は「${title}」をお貸しできないとのことです。` },
      { paragraph: terms },
      { paragraph: '費用は発生しません。ほかのボートが空いているかもしれません。' },
      { link: list_url, label: 'ほかのボートを探す' },
    ],
  }),
};

/** Tells one who has asked for a boat that the owner has turned them down: `{booking_id}`. */
export function renderBookingDeclined(data: Record<string, unknown>, locale: Locale): Message {
  return renderBooking(wording, data, locale);
}
