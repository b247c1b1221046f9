import type { Locale } from '../../shared/profiles/profile.ts';
import { renderBooking, type BookingValues } from './booking-data.ts';
import type { Message, Wording } from './layout.ts';

const wording: Wording<BookingValues> = {
  en: ({ title, terms, url }) => ({
    subject: `Booked: ${title}`,
    parts: [
      { paragraph: `The owner has confirmed your booking of "${title}":` },
      { paragraph: terms },
      { paragraph: 'If your plans change, cancel in good time so that somebody else can sail.' },
      { link: url, label: 'See the boat' },
    ],
  }),
  es: ({ title, terms, url }) => ({
    subject: `Reservado: ${title}`,
    parts: [
      { paragraph: `El propietario ha confirmado tu reserva de «${title}»:` },
      { paragraph: terms },
      { paragraph: 'Si cambias de planes, cancela con tiempo para que otra persona pueda navegar.' },
      { link: url, label: 'Ver el barco' },
    ],
  }),
  fr: ({ title, terms, url }) => ({
    subject: `Réservation confirmée : ${title}`,
    parts: [
      { paragraph: `Le propriétaire a confirmé votre réservation de « ${title} » :` },
      { paragraph: terms },
      { paragraph: "Si vos projets changent, annulez à temps pour que quelqu'un d'autre puisse naviguer." },
      { link: url, label: 'Voir le bateau' },
    ],
  }),
  de: ({ title, terms, url }) => ({
    subject: `Gebucht: ${title}`,
    parts: [
      { paragraph: `Ihre Buchung von „${title}“ ist bestätigt:` },
      { paragraph: terms },
      {
        paragraph: 'Falls sich Ihre Pläne ändern, stornieren Sie bitte rechtzeitig, damit jemand anderes fahren kann.',
      },
      { link: url, label: 'Boot ansehen' },
    ],
  }),
  it: ({ title, terms, url }) => ({
    subject: `Prenotato: ${title}`,
    parts: [
      { paragraph: `Il proprietario ha confermato la tua prenotazione di «${title}»:` },
      { paragraph: terms },
      { paragraph: 'Se cambi programma, annulla per tempo, così potrà navigare qualcun altro.' },
      { link: url, label: 'Vedi la barca' },
    ],
  }),
  ko: ({ title, terms, url }) => ({
    subject: `예약 확정: ${title}`,
    parts: [
      { paragraph: `소유자가 "${title}" 예약을 확정했습니다:` },
      { paragraph: terms },
      { paragraph: '일정이 바뀌면 다른 분이 이용할 수 있도록 미리 취소해 주세요.' },
      { link: url, label: '보트 보기' },
    ],
  }),
  ja: ({ title, terms, url }) => ({
    subject: `予約が確定しました: ${title}`,
    parts: [
      { paragraph: `オーナーが「${title}」の予約を承認しました。` },
      { paragraph: terms },
      { paragraph: 'ご予定が変わった場合は、ほかの方が利用できるよう早めにキャンセルしてください。' },
      { link: url, label: 'ボートを見る' },
    ],
  }),
};

/** Tells one who has asked for a boat that it is theirs for that time: `{booking_id}`. */
export function renderBookingConfirmed(data: Record<string, unknown>, locale: Locale): Message {
  return renderBooking(wording, data, locale);
}
