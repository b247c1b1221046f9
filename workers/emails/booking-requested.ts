import type { Locale } from '../../shared/profiles/profile.ts';
import { renderBooking, type BookingValues } from './booking-data.ts';
import type { Message, Wording } from './layout.ts';

const wording: Wording<BookingValues> = {
  en: ({ title, renter, terms, message, bookings_url: url }) => ({
    subject: `Booking request: ${title}`,
    parts: [
      { paragraph: `${renter} would like to rent "${title}":` },
      { paragraph: terms },
      ...(message === null ? [] : [{ quote: message }]),
      { paragraph: 'Please confirm or decline within 48 hours; after that the request lapses.' },
      { link: url, label: 'Confirm or decline' },
    ],
  }),
  es: ({ title, renter, terms, message, bookings_url: url }) => ({
    subject: `Solicitud de reserva: ${title}`,
    parts: [
      { paragraph: `${renter} quiere alquilar «${title}»:` },
      { paragraph: terms },
      ...(message === null ? [] : [{ quote: message }]),
      { paragraph: 'Confírmala o recházala en un plazo de 48 horas; después la solicitud caduca.' },
      { link: url, label: 'Confirmar o rechazar' },
    ],
  }),
  fr: ({ title, renter, terms, message, bookings_url: url }) => ({
    subject: `Demande de réservation : ${title}`,
    parts: [
      { paragraph: `${renter} souhaite louer « ${title} » :` },
      { paragraph: terms },
      ...(message === null ? [] : [{ quote: message }]),
      { paragraph: 'Merci de la confirmer ou de la refuser sous 48 heures ; passé ce délai, la demande expire.' },
      { link: url, label: 'Confirmer ou refuser' },
    ],
  }),
  de: ({ title, renter, terms, message, bookings_url: url }) => ({
    subject: `Buchungsanfrage: ${title}`,
    parts: [
      { paragraph: `${renter} möchte „${title}“ mieten:` },
      { paragraph: terms },
      ...(message === null ? [] : [{ quote: message }]),
      { paragraph: 'Bitte sagen Sie innerhalb von 48 Stunden zu oder ab; danach verfällt die Anfrage.' },
      { link: url, label: 'Zusagen oder absagen' },
    ],
  }),
  it: ({ title, renter, terms, message, bookings_url: url }) => ({
    subject: `Richiesta di prenotazione: ${title}`,
    parts: [
      { paragraph: `${renter} vorrebbe noleggiare «${title}»:` },
      { paragraph: terms },
      ...(message === null ? [] : [{ quote: message }]),
      { paragraph: 'Confermala o rifiutala entro 48 ore; dopo, la richiesta decade.' },
      { link: url, label: 'Conferma o rifiuta' },
    ],
  }),
  ko: ({ title, renter, terms, message, bookings_url: url }) => ({
    subject: `예약 요청: ${title}`,
    parts: [
      { paragraph: `${renter} 님이 "${title}" 대여를 희망합니다:` },
      { paragraph: terms },
      ...(message === null ? [] : [{ quote: message }]),
      { paragraph: '48시간 안에 수락하거나 거절해 주세요. 그 이후에는 요청이 자동으로 만료됩니다.' },
      { link: url, label: '수락 또는 거절하기' },
    ],
  }),
  ja: ({ title, renter, terms, message, bookings_url: url }) => ({
    subject: `予約リクエスト: ${title}`,
    parts: [
      { paragraph: `${renter}さんが「${title}」のレンタルを希望しています。` },
      { paragraph: terms },
      ...(message === null ? [] : [{ quote: message }]),
      { paragraph: '48時間以内に承認または辞退してください。それを過ぎるとリクエストは失効します。' },
      { link: url, label: '承認または辞退する' },
    ],
  }),
};

/** Tells an owner that somebody asks for their boat: `{booking_id}`. */
export function renderBookingRequested(data: Record<string, unknown>, locale: Locale): Message {
  return renderBooking(wording, data, locale);
}
