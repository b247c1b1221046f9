import { distanceToHeading, isHidden, wordsOf } from './layout.ts';
import type { Layout } from './layout.ts';
import type { DomElement } from './page.ts';
import { lineOf, ownText } from './text.ts';

const OUT =
  /(?<!\p{L})(?:out of stock|sold out|(?:currently|temporarily) (?:unavailable|out of stock)|no longer available|not available|derzeit nicht (?:verfügbar|lieferbar|auf lager)|nicht (?:mehr )?(?:verfügbar|lieferbar|vorrätig)|ausverkauft|en rupture(?: de stock)?|rupture de stock|(?:actuellement |temporairement )?indisponible|épuisé|(?:attualmente |al momento |momentaneamente )?non disponibile|esaurito|agotado|(?:no|actualmente no) (?:está )?disponible|sin existencias|uitverkocht|niet (?:op voorraad|beschikbaar)|vyprod[aá]no|vypredan[éý]|není skladem|niedostępny|brak w magazynie|stoc epuizat|indisponibil|slutsåld|esgotado|indisponível|нет в наличии|sold|verkauft|vendu|venduto|vendido|売り切れ|品切れ|在庫切れ|在庫なし|품절|일시품절|판매\s?완료|نفد|غير متوفر)(?!\p{L})/iu;
const IN =
  /(?<!\p{L})(?:in stock|available (?:now|immediately)|auf lager|sofort lieferbar|lieferbar|vorrätig|verfügbar|en stock|disponible|disponibile|disponibilità immediata|op voorraad|skladem|na sklade|dostępny|în stoc|in stoc|em stock|в наличии|na zalogi|i lager|på lager|在庫あり|재고\s?있음|متوفر)(?!\p{L})/iu;
const BUY =
  /^(?:add (?:item )?to (?:my |your |shopping )?(?:cart|basket|bag|trolley)|buy (?:it )?now|place bid|in den (?:waren|einkaufs)korb|in den wk|jetzt kaufen|ajouter au panier|acheter(?: maintenant)?|aggiungi al carrello|acquista(?: ora)?|añadir (?:al carrito|a la cesta)|comprar(?: ahora| agora)?|in (?:mijn )?winkelwagen|do ko[sš][ií]k[ua]|(?:dodaj )?do koszyka|adaug[aă] în co[sș]|adauga in cos|adicionar ao carrinho|в корзину|купить|lägg i (?:varukorg|kundvagn)|カートに入れる|今すぐ買う|購入手続きへ|장바구니(?:\s?(?:담기|에 담기))?|구매하기|바로구매|أضف إلى (?:السلة|الحقيبة|عربة التسوق)|הוסף לסל|הוספה לסל)/iu;
const BUY_WORDS = /add-?to-?(?:cart|basket|bag)|buy-?(?:now|button|box)|addtocart|addtobasket/i;
const MAX_TEXT = 90;

/** What a page prints about its own thing being for sale: `OutOfStock`, `InStock`, or undefined when it says nothing. */
export function readStock(layout: Layout): string | undefined {
  let canBuy = false;
  let isSaid: string | undefined;
  for (const element of layout.page.elements) {
    if (layout.away.has(element) || isHidden(element)) continue;
    const distance = distanceToHeading(layout, element) ?? 0;
    if (distance < -800 || distance > 1_500) continue;
    canBuy ||= isBuyButton(element);
    isSaid ??= statement(element);
  }
  if (isSaid === 'OutOfStock' && canBuy) return 'InStock';
  return isSaid ?? (canBuy ? 'InStock' : undefined);
}

/** Only short texts in places that are about stock count: long ones speak of delivery terms and other things. */
function statement(element: DomElement): string | undefined {
  if (element.children.length === 0 || element.children.length > 4) return undefined;
  const own = ownText(element);
  if (own.length < 2 || own.length > MAX_TEXT) return undefined;
  const isPlace = wordsOf(element).some((word) =>
    /^(?:stock|availab|verf|lager|dispon|sold|oos|outofstock)/.test(word),
  );
  if (OUT.test(own) && (isPlace || own.length <= 60)) return 'OutOfStock';
  return IN.test(own) && (isPlace || own.length <= 30) ? 'InStock' : undefined;
}

function isBuyButton(element: DomElement): boolean {
  const { name, attribs } = element;
  if (attribs.disabled !== undefined) return false;
  const isButton = name === 'button' || (name === 'input' && /^(?:submit|button|image)$/i.test(attribs.type ?? ''));
  if (!isButton && name !== 'a') return false;
  const text = attribs.value ?? attribs['aria-label'] ?? attribs.title ?? lineOf(element, 100);
  if (BUY.test(text.trim()) || BUY.test(lineOf(element, 100))) return true;
  return isButton && BUY_WORDS.test(`${attribs.class ?? ''} ${attribs.id ?? ''} ${attribs.name ?? ''}`);
}
