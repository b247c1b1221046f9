const NUMBER = '(?:number|num(?:mer)?|no\\.?|nr\\.?|code|id|#)';

const LABELS = [
  `sku|asin|(?:\\p{L}+ )?item (?:number|no\\.?|code|id|#)|(?:product|article|stock|catalogue|catalog|style|web|part|listing|lot|order|ad|advert|reference|ref) ?${NUMBER}`,
  'ref(?:erence|\\.)?|(?:produkt|artikel|art|bestell|best|anzeigen?|inserats?|objekt|referenz|waren|katalog|kat)[. -]*(?:nr|nummer|no|id|code)\\.?|anzeige',
  "code (?:article|produit)|référence(?: (?:de l['’]annonce|produit|article))?|réf\\.?|numéro d['’]annonce|n° (?:d['’]annonce|article)",
  '(?:número|nº|código|cód\\.?|referencia|ref\\.) ?(?:de|del|do)? ?(?:artículo|producto|anuncio|produto|artigo|modelo)?|referência|id do anúncio',
  'codice(?: (?:articolo|prodotto|annuncio))?|cod\\.? ?(?:articolo|art\\.?|prodotto|produs)?|riferimento|rif\\.',
  'artikel(?:nummer|nr\\.?|code)|produktnummer|varenummer|varenr\\.?|vare-?nr\\.?|produktnr\\.?|annons(?:-?id|nummer)|annonce-?id|finn-?kode|tuote(?:numero|koodi|nro)|kohde(?:numero)?',
  '(?:kód|číslo)(?: (?:produktu|tovaru|zboží|výrobku|inzerátu|položky))?|katalógové číslo|objednací číslo|numer (?:referencyjny|katalogowy|produktu|artykułu|oferty|ogłoszenia)|(?:kod|indeks)(?: (?:produktu|towaru))?|nr (?:ref|kat|art|oferty)\\.?|cod produs|šifra(?: (?:artikla|izdelka|proizvoda))?',
  'cikkszám|termékkód|hirdetéskód|ürün (?:kodu|no)|stok kodu|ilan no|κωδικός(?: προϊόντος)?|артикул|код (?:товара|товару|продукта|на продукта)|номер (?:объявления|оголошення)|обява(?: №)?',
  '商品(?:番号|コード|id)|管理番号|品番|型番|商品编号|货号|商品編號|상품\\s?(?:번호|코드)|품번|매물번호|رقم (?:المنتج|الإعلان)|رمز المنتج|מק["״]ט|קוד מוצר|מספר (?:פריט|מוצר|מודעה)',
].join('|');

/** A label that means: the number by which the seller or the site calls this thing. */
export const SKU_LABEL = new RegExp(`^(?:${LABELS})$`, 'iu');

/** The same label and its number in one line without a colon: `Bestellnummer 79961`. */
export const SKU_LINE = new RegExp(
  `^(?:${LABELS})(?:\\s*[:：#])?\\s+#?(?<code>[\\p{L}\\d][\\p{L}\\d./-]{2,30})$`,
  'iu',
);
