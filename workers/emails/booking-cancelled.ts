import type { Locale } from '../../shared/profiles/profile.ts';
import { renderBooking, type BookingValues } from './booking-data.ts';
import type { Message, Wording } from './layout.ts';

const wording: Wording<BookingValues> = {
  en: ({ title, terms, url }) => ({
    subject: `Cancelled: ${title}`,
    parts: [
      { paragraph: `The booking of "${title}" has been cancelled by the other side:` },
      { paragraph: terms },
      { paragraph: 'The boat is free again for that time.' },
      { link: url, label: 'See the boat' },
    ],
  }),
  es: ({ title, terms, url }) => ({
    subject: `Cancelada: ${title}`,
    parts: [
      { paragraph: `La otra parte ha cancelado la reserva de «${title}»:` },
      { paragraph: terms },
      { paragraph: 'El barco vuelve a estar libre en esas fechas.' },
      { link: url, label: 'Ver el barco' },
    ],
  }),
  fr: ({ title, terms, url }) => ({
    subject: `Réservation annulée : ${title}`,
    parts: [
      { paragraph: `L'autre partie a annulé la réservation de « ${title} » :` },
      { paragraph: terms },
      { paragraph: 'Le bateau est de nouveau libre à ces dates.' },
      { link: url, label: 'Voir le bateau' },
    ],
  }),
  de: ({ title, terms, url }) => ({
    subject: `Storniert: ${title}`,
    parts: [
      { paragraph: `Die Buchung von „${title}“ wurde von der anderen Seite storniert:` },
      { paragraph: terms },
      { paragraph: 'Für diese Zeit ist das Boot wieder frei.' },
      { link: url, label: 'Boot ansehen' },
    ],
  }),
  it: ({ title, terms, url }) => ({
    subject: `Prenotazione annullata: ${title}`,
    parts: [
      { paragraph: `L'altra parte ha annullato la prenotazione di «${title}»:` },
      { paragraph: terms },
      { paragraph: 'La barca è di nuovo libera in quelle date.' },
      { link: url, label: 'Vedi la barca' },
    ],
  }),
  ko: ({ title, terms, url }) => ({
    subject: `예약 취소: ${title}`,
    parts: [
      { paragraph: `상대방이 "${title}" 예약을 취소했습니다:` },
      { paragraph: terms },
      { paragraph: '해당 기간에 보트를 다시 예약할 수 있습니다.' },
      { link: url, label: '보트 보기' },
    ],
  }),
  ja: ({ title, terms, url }) => ({
    subject: `予約がキャンセルされました: ${title}`,
    parts: [
      { paragraph: `「${title}」の予約が相手の方によりキャンセルされました。` },
      { paragraph: terms },
      { paragraph: 'この期間は再び予約できるようになりました。' },
      { link: url, label: 'ボートを見る' },
    ],
  }),
};

/** Tells the other side of a booking that it is cancelled: `{booking_id}`. */
export function renderBookingCancelled(data: Record<string, unknown>, locale: Locale): Message {
  return renderBooking(wording, data, locale);
}
