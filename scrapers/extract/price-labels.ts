import { memoizeText } from '../../shared/kit/memoize-text.ts';

/** What the words beside a sum say of it, in the languages of the sites: a few kinds instead of many words. */
const KINDS = {
  price: [
    'price|now|only|asking|buy(?: it)? now|preis|jetzt|nur|prix|precio|ahora|prezzo|ora|preço|cena|prijs|nu|pris|hinta|ár|fiyat|preț|pret|τιμή',
    'цена|ціна|価格|价格|價格|售价|售價|가격|판매가|السعر|قیمت|מחיר|ราคา|giá|harga|kaina|hind|cijena|कीमत|मूल्य',
  ],
  former: [
    'was|instead of|before|rrp|msrp|list(?: price)?|(?:starting|opening|reserve|start) ?(?:price|bid)|estimate|you save|save|regular|original|retail|value|compare at',
    'statt|uvp|preisempf|normalpreis|bisher|sie sparen|ersparnis|netto|ca|circa|au lieu de|prix (?:conseillé|barré|public)|ancien prix|économisez|adviesprijs',
    'antes|precio (?:recomendado|anterior|original)|ahorra|invece di|anziché|prezzo (?:consigliato|di listino)|listino|risparmi|antigo',
    'cena (?:katalogowa|regularna)|běžná cena|původní|ušetříte|rek pris|ord pris|定価|通常価格|希望小売価格|정가|소비자가|بدلا من|было|вместо',
  ],
  carriage: [
    'shipping|delivery|courier|postage|carriage|freight|handling|deposit|insurance|tax|coupon|over|orders|minimum|warranty|trade-in',
    'versand(?:kosten)?|lieferung|liefer(?:kosten)?|porto|fracht|spedition|kurier|anzahlung|kaution|ab einem|mindestbestellwert|mwst|pfand',
    'livraison|frais de port|port|coursier|acompte|envío|mensajería|mensajero|fianza|frete|entrega|spedizione|corriere|consegna|acconto|cauzione',
    'verzending|verzendkosten|bezorging|bezorgkosten|aanbetaling|frakt|fragt|levering|leverans|toimitus|dostawa|wysyłka|przesyłka|doprava|dopravné',
    'szállítás|kargo|teslimat|livrare|rambursare|доставка|курьер|залог|配送料|送料|運賃|배송비|운임|택배|运费|運費|משלוח|شحن',
  ],
  rate: [
    'instal?ments?|monthly|months?|mo|weekly|week|finance|financing|apr|raten?|ratenzahlung|monatlich|monat|finanzierung|mtl',
    'mensualités?|mois|cuotas?|mes|meses|mensual(?:es)?|plazos|parcelas?|mês|rat[ae]|mese|mensil[ei]|maand|månad|måned|kuukausi',
    'raty|miesięcznie|miesiąc|mies|splátk\\p{L}*|měsíčně|mesačne|taksit|lună|hó|рассрочка|кредит|месяц|мес|月々|分割|할부|월|分期|תשלומים|تقسيط',
  ],
};

/** The same in the names that makers of pages give to places, mostly in English. */
const NAMES = {
  former:
    /^(?:old|was|strike|strikethrough|striked|struck|barred|before|former|previous|crossed|cross|through|rrp|msrp|uvp|regular|original|list)$/,
  carriage:
    /^(?:shipping|delivery|courier|versand|postage|freight|carriage|deposit|insurance|warranty|protection|tax|coupon|points|cashback|unit|per|saving|savings|save|saved|discount)$/,
  rate: /^(?:instal?ments?|finance|financing|monthly|month|rate)$/,
};

const PATTERNS = Object.entries(KINDS).map(
  ([kind, words]) => [kind, new RegExp(`(?<!\\p{L})(?:${words.join('|')})(?!\\p{L})`, 'iu')] as const,
);

/** The kinds of sum that a text beside one speaks of: `price`, `former`, `carriage` (and deposits, taxes), `rate`. */
export const labelKindsOf = memoizeText((text): string[] =>
  text === '' ? [] : PATTERNS.flatMap(([kind, words]) => (words.test(text) ? [kind] : [])),
);

/** The same of the words in the names of a place. */
export function nameKindsOf(words: readonly string[]): string[] {
  return Object.entries(NAMES).flatMap(([kind, names]) => (words.some((word) => names.test(word)) ? [kind] : []));
}
