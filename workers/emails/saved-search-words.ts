import type { Locale } from '../../shared/profiles/profile.ts';

/** What the mail about a saved search says, in one language. */
export type SavedSearchWords = {
  subject: (name: string, count: number) => string;
  intro: (name: string, count: number) => string;
  onRequest: string;
  reduced: (price: string, before: string) => string;
  /** The label of the link to all results. */
  all: string;
};

/** The same in every language that the service writes. */
export const savedSearchWords: Readonly<Record<Locale, SavedSearchWords>> = {
  en: {
    subject: (name, count) => (count === 1 ? `A new match for "${name}"` : `${count} new matches for "${name}"`),
    intro: (name, count) =>
      count === 1
        ? `There is news for your saved search "${name}": a listing that is new, or has become cheaper.`
        : `There is news for your saved search "${name}": ${count} listings that are new, or have become cheaper.`,
    onRequest: 'price on request',
    reduced: (price, before) => `${price}, reduced from ${before}`,
    all: 'See everything this search finds',
  },
  es: {
    subject: (name, count) =>
      count === 1 ? `Un nuevo resultado para «${name}»` : `${count} nuevos resultados para «${name}»`,
    intro: (name, count) =>
      count === 1
        ? `Hay novedades en tu búsqueda guardada «${name}»: un anuncio nuevo o que ha bajado de precio.`
        : `Hay novedades en tu búsqueda guardada «${name}»: ${count} anuncios nuevos o que han bajado de precio.`,
    onRequest: 'precio a consultar',
    reduced: (price, before) => `${price}, antes ${before}`,
    all: 'Ver todos los resultados de esta búsqueda',
  },
  fr: {
    subject: (name, count) =>
      count === 1 ? `Un nouveau résultat pour « ${name} »` : `${count} nouveaux résultats pour « ${name} »`,
    intro: (name, count) =>
      count === 1
        ? `Il y a du nouveau pour votre recherche enregistrée « ${name} » : une annonce nouvelle ou dont le prix a baissé.`
        : `Il y a du nouveau pour votre recherche enregistrée « ${name} » : ${count} annonces nouvelles ou dont le prix a baissé.`,
    onRequest: 'prix sur demande',
    reduced: (price, before) => `${price} au lieu de ${before}`,
    all: 'Voir tous les résultats de cette recherche',
  },
  de: {
    subject: (name, count) => (count === 1 ? `Ein neuer Treffer für „${name}“` : `${count} neue Treffer für „${name}“`),
    intro: (name, count) =>
      count === 1
        ? `Zu Ihrer gespeicherten Suche „${name}“ gibt es Neues: eine Anzeige, die neu oder günstiger geworden ist.`
        : `Zu Ihrer gespeicherten Suche „${name}“ gibt es Neues: ${count} Anzeigen, die neu oder günstiger geworden sind.`,
    onRequest: 'Preis auf Anfrage',
    reduced: (price, before) => `${price} statt ${before}`,
    all: 'Alle Treffer dieser Suche ansehen',
  },
  it: {
    subject: (name, count) =>
      count === 1 ? `Un nuovo risultato per «${name}»` : `${count} nuovi risultati per «${name}»`,
    intro: (name, count) =>
      count === 1
        ? `Ci sono novità per la tua ricerca salvata «${name}»: un annuncio nuovo o ribassato.`
        : `Ci sono novità per la tua ricerca salvata «${name}»: ${count} annunci nuovi o ribassati.`,
    onRequest: 'prezzo su richiesta',
    reduced: (price, before) => `${price} invece di ${before}`,
    all: 'Vedi tutti i risultati di questa ricerca',
  },
  ko: {
    subject: (name, count) => `"${name}" 검색의 새로운 결과 ${count}건`,
    intro: (name, count) =>
      `저장한 검색 "${name}"에 새 소식이 있습니다. 새로 올라왔거나 가격이 내린 게시물이 ${count}건 있습니다.`,
    onRequest: '가격 문의',
    reduced: (price, before) => `${price} (기존 ${before})`,
    all: '이 검색의 모든 결과 보기',
  },
  ja: {
    subject: (name, count) => `「${name}」の新しい検索結果が${count}件あります`,
    intro: (name, count) =>
      `保存した検索「${name}」に新着があります。新しく出品された、または値下げされたものが${count}件見つかりました。`,
    onRequest: '価格はお問い合わせください',
    reduced: (price, before) => `${price}（値下げ前 ${before}）`,
    all: 'この検索の結果をすべて見る',
  },
};
