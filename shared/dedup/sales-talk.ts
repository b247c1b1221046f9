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
