/** What a listing and the page that it was found on tell of who sells. */
export type SellerSource = {
  /** The account that the listing belongs to. */
  sellerId: string;
  /** The site of an ingested page; null for what was offered here. */
  site: string | null;
  raw: unknown;
};

const idKeys = new Set(['sellerid', 'dealerid', 'vendorid', 'brokerid', 'advertiserid']);
const nameKeys = new Set([
  'seller',
  'sellername',
  'soldby',
  'offeredby',
  'dealer',
  'dealername',
  'dealership',
  'vendor',
  'broker',
  'brokername',
  'brokerage',
  'advertiser',
  'verkaufer',
  'handler',
  'anbieter',
  'vendeur',
  'vendedor',
  'venditore',
  'verkoper',
  '出品者',
  '판매자',
]);
const phoneKeys = new Set([
  'phone',
  'telephone',
  'tel',
  'phonenumber',
  'sellerphone',
  'dealerphone',
  'telefon',
  'telefono',
]);
/** What portals print of anybody. */
const anybody =
  /^(?:private?|privat(?:e|person|verkauf|verkaufer|eller|anbieter|o)?|(?:private|commercial)?(?:seller|dealer|owner|broker)|particuli(?:er|ere|ar)|handler|gewerblich|professionnel|na|none|null|unknown|anonymous|admin|user)$/;
const MIN_PHONE_DIGITS = 8;
/** So many last digits are the same with and without the code of the country. */
const PHONE_DIGITS = 9;
const MAX_KEYS = 8;

/**
 * The keys by which a seller is known: the account of what was offered here; of an ingested page whatever its record says of
 * the seller: an id or a name on that site, a telephone number anywhere. Empty where nothing tells who sells: unknown sellers
 * are neither the same nor two.
 */
export function sellersOf({ sellerId, site, raw }: SellerSource): string[] {
  if (site === null) return [`account:${sellerId}`];
  const keys = new Set<string>();
  for (const [name, value] of [...entriesOf(raw), ...entriesOf(entryOf(raw, 'properties'))]) {
    const key = squeeze(name);
    if (idKeys.has(key)) note(keys, `${site}:id`, value);
    else if (nameKeys.has(key)) noteSeller(keys, site, value);
    else if (phoneKeys.has(key)) notePhone(keys, value);
  }
  return [...keys].slice(0, MAX_KEYS);
}

/** A seller is printed as a name, or is a record with an id, a name, an address on the web and a telephone number. */
function noteSeller(keys: Set<string>, site: string, value: unknown): void {
  if (typeof value !== 'object' || value === null) return note(keys, `${site}:name`, value);
  for (const [name, own] of entriesOf(value)) {
    const key = squeeze(name);
    if (key === 'id' || key === 'url') note(keys, `${site}:${key}`, own);
    else if (key === 'name') note(keys, `${site}:name`, own);
    else if (phoneKeys.has(key)) notePhone(keys, own);
  }
}

function note(keys: Set<string>, kind: string, value: unknown): void {
  const text = typeof value === 'string' || typeof value === 'number' ? squeeze(String(value)) : '';
  if (text.length > 1 && text.length <= 200 && !anybody.test(text)) keys.add(`${kind}:${text}`);
}

function notePhone(keys: Set<string>, value: unknown): void {
  const digits = typeof value === 'string' || typeof value === 'number' ? String(value).replaceAll(/\D/g, '') : '';
  if (digits.length >= MIN_PHONE_DIGITS) keys.add(`phone:${digits.slice(-PHONE_DIGITS)}`);
}

/** Whether both are known to be sold by one seller. */
export const isSameSeller = (a: readonly string[] = [], b: readonly string[] = []) => a.some((key) => b.includes(key));

/** Whether both sellers are known, and not the same. */
export const areTwoSellers = (a: readonly string[] = [], b: readonly string[] = []) =>
  a.length > 0 && b.length > 0 && !isSameSeller(a, b);

const squeeze = (text: string) =>
  text
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]/gu, '');

const entriesOf = (value: unknown): [string, unknown][] =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.entries(value) : [];

const entryOf = (value: unknown, name: string) => entriesOf(value).find(([key]) => key === name)?.[1];

/** The condition that an ingested record states for itself; what it leaves out was taken to be good. */
export function statesCondition(raw: unknown): boolean {
  return [...entriesOf(raw), ...entriesOf(entryOf(raw, 'properties'))].some(
    ([name, value]) => /^(?:item)?condition$|^zustand$|^etat$|^stato$|^estado$/.test(squeeze(name)) && Boolean(value),
  );
}
