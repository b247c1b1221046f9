import type { Fingerprint } from './fingerprint.ts';

/** The weight of a word by inverse document frequency: next to 0 for one in every listing, about 1 for a rare one. */
export type WeightOf = (word: string) => number;

export type WeightedWords = ReadonlyMap<string, number>;

/** A fingerprint with its words weighted, ready for many comparisons. */
export type Features = {
  print: Fingerprint;
  title: WeightedWords;
  titleWeight: number;
  described: WeightedWords;
  joins: ReadonlySet<string>;
  pairs: ReadonlySet<string>;
  letters: ReadonlySet<string>;
  /** Every spelling in this listing that may be a code. */
  spelled: ReadonlySet<string>;
  /** The weight of each image, by its hash. */
  shown: WeightedWords;
  /** The hashes of images that few enough listings show to be of one object. */
  ownImages: readonly string[];
};

/** The smallest corpus size that weights are computed for: in a smaller one every word would seem common. */
const MIN_LISTINGS = 1_000;
/** The least weight of a word, and the factor for words of sales talk. */
const MIN_WEIGHT = 0.02;
const OF_TALK = 0.3;

/** Weights by inverse document frequency among `listings` listings; `uses` is the document frequency of a word. */
export function createWordWeights(listings: number, uses: (word: string) => number): WeightOf {
  const all = Math.max(MIN_LISTINGS, listings) + 1;
  const scale = Math.log(all);
  return (word) => Math.max(MIN_WEIGHT, Math.log(all / (uses(word) + 0.5)) / scale) * (isSalesTalk(word) ? OF_TALK : 1);
}

/** The words whose document frequencies a fingerprint's features need. */
export const distinctWords = ({ title, description }: Fingerprint) => [
  ...new Set([...title.words, ...title.joins, ...description]),
];

/** How many listings show an image of this very hash. */
export type CountImage = (hash: string) => number;

/** More listings than this show no image that is of one object. */
const MAX_OWN_USES = 4;

/** Weights the words and images of a fingerprint; an image weighs as a word does, by how few listings show it. */
export function featuresOf(
  print: Fingerprint,
  weigh: WeightOf,
  weighImage: WeightOf = weigh,
  countImage: CountImage = () => 1,
): Features {
  const images = print.images ?? [];
  const { words, joins } = print.title;
  const title = new Map(words.map((word) => [word, weigh(word)]));
  return {
    print,
    title,
    titleWeight: sumWeights(title),
    described: new Map(print.description.map((word) => [word, weigh(word)])),
    joins: new Set(joins),
    pairs: new Set(words.slice(1).map((word, index) => `${words[index]} ${word}`)),
    letters: new Set(words.flatMap(threes)),
    spelled: new Set([...words, ...joins, ...print.codes, ...print.description]),
    shown: new Map(images.map((hash) => [hash, weighImage(hash)])),
    ownImages: images.filter((hash) => countImage(hash) <= MAX_OWN_USES),
  };
}

const threes = (word: string) =>
  Array.from({ length: Math.max(1, word.length) }, (_, at) => ` ${word} `.slice(at, at + 3));

export const sumWeights = (words: WeightedWords) => words.values().reduce((total, weight) => total + weight, 0);
export const sumSquares = (words: WeightedWords) =>
  words.values().reduce((total, weight) => total + weight * weight, 0);
export const maxWeight = (words: WeightedWords) => words.values().reduce((most, weight) => Math.max(most, weight), 0);

/** Cosine similarity of two weighted bags of words, 0 to 1. */
export function cosineSimilarity(a: WeightedWords, b: WeightedWords, shared: WeightedWords): number {
  return sumSquares(shared) / (Math.sqrt(sumSquares(a) * sumSquares(b)) || 1);
}

/** Stop words of the domain: function words and what sellers say of anything, in the languages of the markets. */
const talk = `
  a an and or of for with without by in on at the to from is this your our all only per no not
  new brand sale deal deals offer offers promo promotion discount cheap cheapest best seller bestseller hot top quality high
  super ready stock instock restock free shipping delivery gift bonus original authentic genuine official guarantee warranty
  limited edition import imported real cod must see rare nice beautiful great good condition look
  y o de del la el los las con sin para por en un una nuevo nueva oferta ofertas barato envio gratis calidad garantia oficial
  et ou du des le les au aux avec sans pour neuf neuve offre soldes livraison gratuit gratuite qualite garantie officiel
  und oder mit ohne fur von der die das ein eine neu neue angebot gunstig versand kostenlos qualitat original garantie
  e di da il lo gli con senza per nuovo nuova offerta sconto spedizione qualita garanzia
  dan atau dengan tanpa untuk di dari yang ada bisa bayar tempat ditempat harga murah termurah terlaris terbaru baru asli ori
  kualitas berkualitas bagus keren cantik lucu kekinian grosir ecer eceran impor garansi resmi stok promo diskon gratis ongkir
  siap kirim jual dijual merk model
`;

const words = new Set(talk.split(/\s+/).filter(Boolean));

/** Whether a word is a stop word of this kind. */
export const isSalesTalk = (word: string) => words.has(word);
