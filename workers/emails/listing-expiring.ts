import { z } from 'zod';
import type { Locale } from '../../shared/profiles/profile.ts';
import type { Message, Wording } from './layout.ts';

const fields = z.object({
  title: z.string(),
  url: z.url({ protocol: /^https?$/ }),
  expires_at: z.iso.datetime(),
  days: z.number().int().min(0).max(90),
});

type Values = { title: string; url: string; date: string; days: number };

/** The day of a time in UTC, as it is written in a language. */
const dateIn = (locale: Locale, time: string) =>
  new Intl.DateTimeFormat(locale, { dateStyle: 'long', timeZone: 'UTC' }).format(new Date(time));

const wording: Wording<Values> = {
  en: ({ title, url, date, days }) => ({
    subject: `Your listing expires ${days === 0 ? 'today' : days === 1 ? 'tomorrow' : `in ${days} days`}: ${title}`,
    parts: [
      { paragraph: `Your listing "${title}" is online until ${date}. After that nobody finds it any more.` },
      { paragraph: 'Is it still for sale? Renew it, and it stays online for another 30 days.' },
      { link: url, label: 'Renew the listing' },
    ],
  }),
  es: ({ title, url, date, days }) => ({
    subject: `Tu anuncio caduca ${days === 0 ? 'hoy' : days === 1 ? 'mañana' : `en ${days} días`}: ${title}`,
    parts: [
      { paragraph: `Tu anuncio «${title}» estará publicado hasta el ${date}. Después ya nadie podrá encontrarlo.` },
      { paragraph: '¿Sigue en venta? Renuévalo y seguirá publicado otros 30 días.' },
      { link: url, label: 'Renovar el anuncio' },
    ],
  }),
  fr: ({ title, url, date, days }) => ({
    subject: `Votre annonce expire ${days === 0 ? "aujourd'hui" : days === 1 ? 'demain' : `dans ${days} jours`} : ${title}`,
    parts: [
      { paragraph: `Votre annonce « ${title} » est en ligne jusqu'au ${date}. Ensuite, plus personne ne la trouvera.` },
      { paragraph: 'Toujours en vente ? Renouvelez-la : elle restera en ligne 30 jours de plus.' },
      { link: url, label: "Renouveler l'annonce" },
    ],
  }),
  de: ({ title, url, date, days }) => ({
    subject: `Ihre Anzeige läuft ${days === 0 ? 'heute' : days === 1 ? 'morgen' : `in ${days} Tagen`} ab: ${title}`,
    parts: [
      { paragraph: `Ihre Anzeige „${title}“ ist bis zum ${date} online. Danach findet sie niemand mehr.` },
      { paragraph: 'Noch zu haben? Verlängern Sie die Anzeige, dann bleibt sie weitere 30 Tage online.' },
      { link: url, label: 'Anzeige verlängern' },
    ],
  }),
  it: ({ title, url, date, days }) => ({
    subject: `Il tuo annuncio scade ${days === 0 ? 'oggi' : days === 1 ? 'domani' : `tra ${days} giorni`}: ${title}`,
    parts: [
      { paragraph: `Il tuo annuncio «${title}» è online fino al giorno ${date}. Dopo nessuno potrà più trovarlo.` },
      { paragraph: 'È ancora in vendita? Rinnovalo e resterà online per altri 30 giorni.' },
      { link: url, label: "Rinnova l'annuncio" },
    ],
  }),
  ko: ({ title, url, date, days }) => ({
    subject: `게시물이 ${days === 0 ? '오늘' : days === 1 ? '내일' : `${days}일 후`} 만료됩니다: ${title}`,
    parts: [
      { paragraph: `게시물 "${title}"은(는) ${date}까지 공개됩니다. 그 이후에는 아무도 찾을 수 없습니다.` },
      { paragraph: '아직 판매 중이신가요? 갱신하시면 30일 더 공개됩니다.' },
      { link: url, label: '게시물 갱신하기' },
    ],
  }),
  ja: ({ title, url, date, days }) => ({
    subject: `出品の掲載が${days === 0 ? '本日' : days === 1 ? '明日' : `あと${days}日で`}終了します: ${title}`,
    parts: [
      { paragraph: `「${title}」の掲載は${date}までです。それ以降は誰にも表示されなくなります。` },
      { paragraph: 'まだ販売中ですか。更新すると、さらに30日間掲載されます。' },
      { link: url, label: '出品を更新する' },
    ],
  }),
};

/** Tells an owner that a listing expires in some days, 7 or 1, or today when the reminder is late: `{title, url, expires_at, days}`. */
export function renderListingExpiring(data: Record<string, unknown>, locale: Locale): Message {
  const { expires_at: expiresAt, ...listing } = fields.parse(data);
  return wording[locale]({ ...listing, date: dateIn(locale, expiresAt) });
}
