import type { RawRecord } from './record-type.ts';
import { findBoatMaker } from './boat-makers.ts';
import { BRAND_LABEL, isAboutBoat, MODEL_LABEL } from './boat.ts';

/** What shops print around a brand in the service's languages and Dutch: `Visit the Sony Store`, `Marke: Sony`, `by Sony`. */
const AROUND: RegExp[] = [
  /^(?:visit(?: the)?|besuche(?:n sie)?(?: den| die)?|visiter(?: la boutique)?|visita(?: la tienda(?: de)?| lo store(?: di)?)?|bezoek de)\s(?=.)|(?<=^(?:visit|besuch|visit[ae]|bezoek).{1,100})[ -](?:official )?(?:store|shop|boutique|tienda|negozio|winkel)$/giu,
  /^(?:brand|make|manufacturer|marke|hersteller|marque|fabricant|marca|fabricante|produttore|merk|by|von|メーカー|ブランド|브랜드|제조사)\s?[:：]\s?/iu,
  /^by\s(?=\p{Lu})/u,
  / (?:official|online|flagship|brand) ?(?:store|shop)$/iu,
  /[ ,](?:gmbh(?: & co\.? kg)?|inc\.?|ltd\.?|llc|s\.?r\.?l\.?|s\.?p\.?a\.?|b\.?v\.?)$/iu,
  / (?:power|motor|sail|sailing) ?(?:boats|yachts)$/iu,
];
const NO_BRAND =
  /^(?:[^\p{L}\d]*|n\/?a|none|null|unknown|unbranded|no brand|generic|other|sonstige|ohne marke|markenlos|sans marque|sin marca|senza marca|unbekannt|autres?|otr[ao]s?|altr[oi])$/iu;

/** A brand without what shops print around it; undefined for words that stand where none is known. */
export function normalizeBrand(printed: string | undefined): string | undefined {
  let brand = (printed ?? '')
    .slice(0, 200)
    .replaceAll(/[\s®™©]+/gu, ' ')
    .trim();
  for (const phrase of AROUND) brand = brand.replace(phrase, '').trim();
  return NO_BRAND.test(brand) ? undefined : brand;
}

/** The record with its brand as the maker calls it; a boat whose page names no maker or model gets those of its title. */
export function nameMaker(raw: RawRecord): RawRecord {
  const brand = normalizeBrand(raw.brand);
  const { title } = raw;
  const isOpen = title !== undefined && (brand === undefined || raw.model === undefined) && isAboutBoat(raw);
  const found = isOpen ? findBoatMaker(title) : undefined;
  if (!found) return brand === raw.brand ? raw : withBrand(raw, brand);
  if (brand !== undefined && brand.toLowerCase() !== found.brand.toLowerCase()) return withBrand(raw, brand);
  const labels = Object.keys(raw.properties ?? {});
  const model = raw.model ?? (labels.some((label) => MODEL_LABEL.test(label.trim())) ? undefined : found.model);
  const named = brand ?? (labels.some((label) => BRAND_LABEL.test(label.trim())) ? undefined : found.brand);
  return withBrand(model === undefined ? raw : { ...raw, model }, named);
}

function withBrand(raw: RawRecord, brand: string | undefined): RawRecord {
  const { brand: _, ...rest } = raw;
  return brand === undefined ? rest : { ...rest, brand };
}
