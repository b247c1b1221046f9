import type { Locale } from '../../shared/profiles/profile.ts';
import type { WatchedField } from '../../shared/scrapers/findings.ts';
import type { Oddity } from '../../shared/scrapers/oddity.ts';

type OddityWords = {
  records: string;
  missedPages: string;
  recordShare: string;
  missing: string;
  with: (field: string) => string;
  fields: Record<WatchedField, string>;
  change: (label: string, now: string, before: string) => string;
  part: (label: string, count: string, of: string) => string;
  prices: (times: string, isLower: boolean) => string;
};

const words: Readonly<Record<Locale, OddityWords>> = {
  en: {
    records: 'Records found',
    missedPages: 'Pages that are gone or could not be read',
    recordShare: 'Pages that hold a record',
    missing: 'Listings that are missing from the feed',
    with: (field) => `Records with ${field}`,
    fields: {
      ...{ title: 'a title of their own', price: 'a price', description: 'a description' },
      ...{ images: 'images', place: 'a place', facts: 'facts' },
    },
    change: (label, now, before) => `${label}: ${now}, before ${before}`,
    part: (label, count, of) => `${label}: ${count} of ${of}`,
    prices: (times, isLower) => `Prices: ${times} times ${isLower ? 'lower' : 'higher'} than before`,
  },
  es: {
    records: 'Registros encontrados',
    missedPages: 'Páginas desaparecidas o ilegibles',
    recordShare: 'Páginas con un registro',
    missing: 'Anuncios que faltan en el feed',
    with: (field) => `Registros con ${field}`,
    fields: {
      ...{ title: 'título propio', price: 'precio', description: 'descripción' },
      ...{ images: 'imágenes', place: 'lugar', facts: 'datos técnicos' },
    },
    change: (label, now, before) => `${label}: ${now}, antes ${before}`,
    part: (label, count, of) => `${label}: ${count} de ${of}`,
    prices: (times, isLower) => `Precios: ${times} veces más ${isLower ? 'bajos' : 'altos'} que antes`,
  },
  fr: {
    records: 'Fiches trouvées',
    missedPages: 'Pages disparues ou illisibles',
    recordShare: 'Pages contenant une fiche',
    missing: 'Annonces absentes du flux',
    with: (field) => `Fiches avec ${field}`,
    fields: {
      ...{ title: 'un titre propre', price: 'un prix', description: 'une description' },
      ...{ images: 'des images', place: 'un lieu', facts: 'des caractéristiques' },
    },
    change: (label, now, before) => `${label} : ${now}, auparavant ${before}`,
    part: (label, count, of) => `${label} : ${count} sur ${of}`,
    prices: (times, isLower) => `Prix : ${times} fois plus ${isLower ? 'bas' : 'élevés'} qu'auparavant`,
  },
  de: {
    records: 'Gefundene Einträge',
    missedPages: 'Seiten, die fehlen oder nicht lesbar waren',
    recordShare: 'Seiten mit einem Eintrag',
    missing: 'Anzeigen, die im Feed fehlen',
    with: (field) => `Einträge mit ${field}`,
    fields: {
      ...{ title: 'eigenem Titel', price: 'Preis', description: 'Beschreibung' },
      ...{ images: 'Bildern', place: 'Ort', facts: 'technischen Daten' },
    },
    change: (label, now, before) => `${label}: ${now}, vorher ${before}`,
    part: (label, count, of) => `${label}: ${count} von ${of}`,
    prices: (times, isLower) => `Preise: um den Faktor ${times} ${isLower ? 'niedriger' : 'höher'} als vorher`,
  },
  it: {
    records: 'Schede trovate',
    missedPages: 'Pagine scomparse o illeggibili',
    recordShare: 'Pagine con una scheda',
    missing: 'Annunci che mancano nel feed',
    with: (field) => `Schede con ${field}`,
    fields: {
      ...{ title: 'un titolo proprio', price: 'un prezzo', description: 'una descrizione' },
      ...{ images: 'immagini', place: 'un luogo', facts: 'dati tecnici' },
    },
    change: (label, now, before) => `${label}: ${now}, prima ${before}`,
    part: (label, count, of) => `${label}: ${count} su ${of}`,
    prices: (times, isLower) => `Prezzi: ${times} volte più ${isLower ? 'bassi' : 'alti'} di prima`,
  },
  ko: {
    records: '수집된 항목',
    missedPages: '사라졌거나 읽을 수 없는 페이지',
    recordShare: '항목이 있는 페이지',
    missing: '피드에서 빠진 게시물',
    with: (field) => `${field} 있는 항목`,
    fields: {
      ...{ title: '고유한 제목이', price: '가격이', description: '설명이' },
      ...{ images: '이미지가', place: '위치가', facts: '제원이' },
    },
    change: (label, now, before) => `${label}: ${now} (이전 ${before})`,
    part: (label, count, of) => `${label}: ${of}개 중 ${count}개`,
    prices: (times, isLower) => `가격: 이전보다 ${times}배 ${isLower ? '낮음' : '높음'}`,
  },
  ja: {
    records: '見つかった項目',
    missedPages: 'なくなったか、読み取れなかったページ',
    recordShare: '項目のあるページ',
    missing: 'フィードにない出品',
    with: (field) => `${field}のある項目`,
    fields: {
      ...{ title: '固有のタイトル', price: '価格', description: '説明' },
      ...{ images: '画像', place: '場所', facts: '諸元' },
    },
    change: (label, now, before) => `${label}: ${now}（以前は${before}）`,
    part: (label, count, of) => `${label}: ${of}件中${count}件`,
    prices: (times, isLower) => `価格: 以前の${isLower ? `${times}分の1` : `${times}倍`}`,
  },
};

/** What is odd about a run, in one line of any language that the service writes. */
export function oddityLine(odd: Oddity, locale: Locale): string {
  const said = words[locale];
  const number = (value: number) => value.toLocaleString(locale, { maximumFractionDigits: value < 10 ? 1 : 0 });
  const percent = (share: number) => share.toLocaleString(locale, { style: 'percent' });
  if (odd.kind === 'records') return said.change(said.records, number(odd.now), number(odd.before));
  if (odd.kind === 'no_records') return said.change(said.records, number(0), number(odd.before));
  if (odd.kind === 'missed_pages') return said.part(said.missedPages, number(odd.now), number(odd.of));
  if (odd.kind === 'missing') return said.part(said.missing, number(odd.now), number(odd.of));
  if (odd.kind === 'prices') return said.prices(number(odd.times), odd.isLower);
  const label = odd.kind === 'field' ? said.with(said.fields[odd.field]) : said.recordShare;
  return said.change(label, percent(odd.now), percent(odd.before));
}
