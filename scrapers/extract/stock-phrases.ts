/** Words that say a thing is not to be had, language by language. */
export const OUT_PHRASES = [
  'out of stock|sold out|(?:currently|temporarily) unavailable|no longer available|not available|discontinued|cannot be (?:bought|purchased|ordered)',
  '(?:listing|auction|bidding|offer|sale|lot) (?:was |has |is )?(?:ended|closed|over)',
  '(?:angebot|auktion|anzeige)(?: wurde| ist)? (?:beendet|nicht mehr verfügbar|deaktiviert)|derzeit nicht auf lager|ausverkauft',
  '(?:derzeit )?nicht (?:mehr )?(?:verfügbar|lieferbar|vorrätig|bestellbar)',
  '(?:vente|enchère|annonce)(?: est| a été)? (?:terminée|expirée|désactivée)|(?:en )?rupture(?: de stock)?|indisponible|épuisé',
  '(?:inserzione|asta|annuncio)(?: è)? (?:scadut[ao]|terminat[ao]|conclus[ao])|non disponibile|esaurito',
  '(?:anuncio|subasta)(?: ha)? (?:finalizad[ao]|caducad[ao])|agotado|no (?:está )?disponible|sin existencias',
  'uitverkocht|niet (?:op voorraad|beschikbaar|leverbaar)|slutsåld|slut i lager|udsolgt|utsolgt|loppuunmyyty|ei saatavilla',
  'vyprod[aá]no|vypredan[éý]|ukončený predaj|prodej (?:byl )?ukončen|není skladem|nie je (?:na sklade|skladom|možné produkt kúpiť)|nelze (?:objednat|koupit)',
  'niedostępny|brak w magazynie|produkt wycofany|stoc epuizat|indisponibil|elfogyott|nincs (?:raktáron|készleten)|tükendi|stokta yok',
  'esgotado|indisponível|εξαντλ\\p{L}+|μη διαθέσιμο|нет в наличии|немає в наявності|изчерпан\\p{L}*',
  '売り切れ|品切れ|在庫切れ|在庫なし|完売|품절|일시품절|판매\\s?완료|缺货|缺貨|售罄|אזל מהמלאי|אינו במלאי|غير متوفر|نفدت?(?: الكمية)?',
  'sold|verkauft|vendue?|vendut[oa]|vendid[oa]|verkocht',
].map((phrases) => new RegExp(`(?<!\\p{L})(?:${phrases})(?!\\p{L})`, 'giu'));

/** Words that say a thing is there to be had. */
export const IN =
  /(?<!\p{L})(?:in stock|available(?: now| immediately)?|auf lager|sofort lieferbar|lieferbar|vorrätig|verfügbar|en stock|disponible|disponibile|disponibilità immediata|op voorraad|leverbaar|skladem|skladom|na sklade|dostępny|w magazynie|în stoc|in stoc|em stock|em estoque|raktáron|készleten|varastossa|stokta var|διαθέσιμο|в наличии|в наявності|в наличност|na zalogi|na skladištu|på lager|i lager|在庫あり|재고\s?있음|有货|現貨|במלאי|متوفر)(?!\p{L})/iu;

/** The beginning of what stands on a button that buys or bids. */
export const BUY =
  /^(?:add (?:item )?to (?:my |your |shopping )?(?:cart|basket|bag|trolley)|buy (?:it )?now|place bid|in den (?:waren|einkaufs)korb|in den wk|jetzt kaufen|ajouter au panier|acheter(?: maintenant)?|aggiungi al carrello|acquista(?: ora)?|añadir (?:al carrito|a la cesta)|agregar al carrito|comprar(?: ahora| agora)?|in (?:mijn )?winkelwagen|in winkelmand|do ko[sš][ií]k[ua]|(?:dodaj )?do koszyka|dodaj u (?:košaricu|korpu)|v košarico|adaug[aă] în co[sș]|adauga in cos|adicionar ao carrinho|kosárba|sepete ekle|στο καλάθι|προσθήκη στο καλάθι|в корзину|в кошик|купить|купити|купи|добави в количката|lägg i (?:varukorg|kundvagn)|læg i kurv|legg i handlekurv|lisää (?:ostos)?koriin|カートに入れる|今すぐ買う|購入手続きへ|장바구니(?:\s?(?:담기|에 담기))?|구매하기|바로구매|加入购物车|加入購物車|立即购买|أضف إلى (?:السلة|الحقيبة|عربة التسوق)|הוסף לסל|הוספה לסל)/iu;

/** The names that makers of pages give such a button. */
export const BUY_WORDS = /add-?to-?(?:cart|basket|bag)|buy-?(?:now|button|box)|addtocart|addtobasket/i;

/** What is missing may be an image, a review or a pickup point: nothing that is for sale. */
export const NOT_THE_THING =
  /(?<!\p{L})(?:images?|pictures?|photos?|videos?|bild(?:er)?|abbildung|fotos?|immagin[ei]|imágenes|imagen|vidéo|reviews?|chat|pick-?up|collect(?:ion)?|stores?|filiale|size|größe|taille|taglia|talla|colou?r|farbe|couleur|colore|画像|写真|사진|이미지)(?!\p{L})/iu;
