import { ancestorsOf, isHidden, nameWordsOf } from './layout.ts';
import type { Layout } from './layout.ts';
import { documentOrderOf } from './page.ts';
import { isElement } from '../../shared/kit/html/dom.ts';
import type { DomElement, DomNode } from '../../shared/kit/html/dom.ts';
import { lineOf } from '../../shared/kit/html/text.ts';

const LABEL = /^\p{L}[\p{L} ]{2,20}/u;
const STRUCK_TAGS = new Set(['s', 'del', 'strike']);
const STRUCK_STYLE = /line-through/i;
const STRUCK_WORD =
  /^(?:old|was|strike|strikethrough|striked|struck|barred|before|former|previous|crossed|cross|through|rrp|msrp|uvp)$/;

/** What a label says whose price is a former one, or that of something else. */
const FORMER_LABELS = [
  'was|instead of|before|rrp|msrp|list(?:\\s?price)?|(?:starting|opening|reserve|start)\\s?(?:price|bid)|estimate|save|you save',
  'statt|uvp|unverb\\.? ?preisempf\\.?|normalpreis|sie sparen|zzgl\\.? mwst\\.?|exkl\\.? mwst\\.?|netto|ca\\.|circa',
  'au lieu de|prix (?:conseillé|barré|public)|ancien prix|économisez|adviesprijs',
  'antes|precio (?:recomendado|anterior|original)|invece di|anziché|prezzo (?:consigliato|di listino)|listino',
  'cena (?:katalogowa|regularna)|běžná cena|rek\\.? ?pris|定価|通常価格|希望小売価格|정가|소비자가',
  'per month|monthly|approx(?:\\.|imately)?|environ|excl\\.?(?: vat| tax)?|ex\\.? vat',
  'versand|shipping|delivery|postage|livraison|envío|spedizione',
].map((labels) => new RegExp(`(?:${labels})[^\\p{L}\\p{N}]*$`, 'iu'));

/** Carriage, instalments, deposits: sums that are asked beside the price, in the languages of the sites. */
const BESIDE = [
  'shipping|delivery|courier|postage|carriage|freight|handling|deposit|insurance|instal?ments?|monthly|(?:per|a) month|month|mo',
  'versand(?:kosten)?|lieferung|liefer(?:kosten)?|porto|fracht|spedition|kurier|anzahlung|kaution|rate|raten|monatlich|monat',
  'livraison|frais de port|port|coursier|acompte|mensualités?|mois',
  'envío|gastos de envío|mensajería|mensajero|cuotas?|mes|mensual(?:es)?|fianza|frete|entrega|parcelas?|mês',
  'spedizione|corriere|consegna|rat[ae]|mese|mensil[ei]|acconto|cauzione',
  'verzending|verzendkosten|bezorging|bezorgkosten|maand|aanbetaling|frakt|fragt|levering|leverans|månad|måned|toimitus',
  'kurier|dostawa|wysyłka|przesyłka|rata|raty|miesięcznie|doprava|dopravné|splátk\\p{L}*|měsíčně|kurýr|szállítás|kargo|teslimat|taksit',
  'доставка|курьер|рассрочка|кредит|месяц|мес|配送料|送料|運賃|月々|分割|배송비|운임|택배|할부|월|运费|運費|分期',
];
const BESIDE_WITHIN = BESIDE.map((words) => new RegExp(`(?<!\\p{L})(?:${words})(?!\\p{L})`, 'iu'));
const BESIDE_AFTER = [
  /^\s*[x×]\s?\d/iu,
  ...BESIDE.map(
    (words) => new RegExp(`^[^\\p{L}\\p{N}]*(?:(?:per|pro|par|por|al|a|za|em|im|p)\\s)?(?:${words})(?!\\p{L})`, 'iu'),
  ),
];
const BESIDE_WORD =
  /^(?:shipping|delivery|courier|versand|postage|freight|carriage|instal?ments?|finance|financing|monthly|month|rate|deposit|insurance|warranty|protection|tax|coupon|points|cashback|unit|per)$/;
const ROWS = new Set(['tr', 'li', 'label', 'p', 'dd']);
const TITLES = new Set(['h2', 'h3', 'h4', 'h5', 'h6', 'legend', 'caption', 'dt']);

type Printed = { element: DomElement; text: string };

/** The words right before a price: in its own text, or what stands before it. */
export function labelOf({ element, text }: Printed): string {
  return LABEL.exec(text)?.[0] ?? textBefore(element);
}

/** True for a price that its label or its drawing calls a former one. */
export function isFormerPrice(element: DomElement, label: string): boolean {
  return FORMER_LABELS.some((former) => former.test(label)) || isStruck(element);
}

/**
 * True for a price that can only be the one asked: neither hidden nor struck out, and nothing around it speaks of carriage, of
 * instalments or of other sums beside the price.
 */
export function isPlainlyAsked({ page }: Layout, place: Printed): boolean {
  const { element } = place;
  const chain = [element, ...ancestorsOf(element, 4)];
  if (chain.some((around) => isHidden(around) || STRUCK_STYLE.test(around.attribs.style ?? ''))) return false;
  if (chain.some((around) => nameWordsOf(around).some((word) => STRUCK_WORD.test(word) || BESIDE_WORD.test(word))))
    return false;
  const title = page.elements.findLast(
    (each) => TITLES.has(each.name) && documentOrderOf(each) < documentOrderOf(element),
  );
  const row = chain.slice(0, 4).find(({ name }) => ROWS.has(name));
  const around = [labelOf(place), row ? lineOf(row, 120) : '', title ? lineOf(title, 60) : ''];
  const after = textAfter(element);
  return (
    !around.some((text) => BESIDE_WITHIN.some((words) => words.test(text))) &&
    !BESIDE_AFTER.some((words) => words.test(after))
  );
}

function isStruck(element: DomElement): boolean {
  return [element, ...ancestorsOf(element, 3)].some(({ name }) => STRUCK_TAGS.has(name));
}

function textBefore(element: DomElement): string {
  let node: DomNode | null = element.prev;
  for (let steps = 0; node && steps < 4; steps += 1) {
    const text = textOfNode(node);
    if (text !== '') return text.slice(-40);
    node = node.prev;
  }
  const uncle = (element.parent as DomNode | null)?.prev;
  return uncle && isElement(uncle) ? lineOf(uncle, 200).slice(-40) : '';
}

function textAfter(element: DomElement): string {
  let node: DomNode | null = element.next;
  for (let steps = 0; node && steps < 2; steps += 1) {
    const text = textOfNode(node);
    if (text !== '') return text.slice(0, 40);
    node = node.next;
  }
  return '';
}

const textOfNode = (node: DomNode): string =>
  isElement(node) ? lineOf(node, 200) : node.type === 'text' ? node.data.trim() : '';
