/** A number with the unit that follows it; both as they are compared. */
type Quantity = { text: string; digits: string; unit: string };

/** Each unit, in the languages that listings are written in. */
const units: Record<string, string> = {
  m: 'm metre metres meter meters metern mètre mètres metro metros metri メートル 미터',
  cm: 'cm centimetres centimeters zentimeter centimètres centímetros centimetri センチ センチメートル 센티미터',
  mm: 'mm millimetres millimeters millimeter millimètres milímetros millimetri ミリ 밀리미터',
  km: 'km kilometres kilometers kilometer kilomètres kilómetros chilometri キロメートル 킬로미터',
  ft: 'ft feet foot fuß fuss pied pieds pie pies piede piedi フィート 피트 ′',
  nm: 'nm sm nautical seemeilen milles millas miglia 海里 해리',
  kn: 'kn kt kts knot knots knoten nœud nœuds noeuds nudo nudos nodo nodi ノット 노트',
  hp: 'hp bhp ps ch cv horsepower chevaux cavalli caballos 馬力 마력',
  kw: 'kw kilowatt kilowatts キロワット 킬로와트',
  kg: 'kg kilo kilos kilogram kilograms kilogramm kilogrammes kilogramos chilogrammi キログラム キロ 킬로그램',
  t: 't tonne tonnes tons tonnen toneladas tonnellate トン 톤',
  l: 'l ltr litre litres liter liters litern litro litros litri リットル ℓ 리터',
  gal: 'gal gallon gallons gallonen galones galloni ガロン 갤런',
  h: 'h hr hrs hour hours std stunden betriebsstunden motorstunden heures hora horas ora ore 時間 시간',
  v: 'v volt volts ボルト 볼트',
  w: 'w watt watts ワット 와트',
  ah: 'ah アンペア時',
  cc: 'cc ccm cm³',
  in: 'inch inches zoll pouces pulgadas pollici インチ 인치 ′′',
  eur: '€ eur euro euros ユーロ 유로',
  usd: '$ usd dollar dollars ドル 달러',
  gbp: '£ gbp',
  pct: '% prozent percent ％',
};
const unitOf = new Map(Object.entries(units).flatMap(([unit, names]) => names.split(' ').map((name) => [name, unit])));
const unitNames = [...unitOf.keys()]
  .toSorted((a, b) => b.length - a.length)
  .map((name) => name.replaceAll(/[$]/g, '\\$&'));

const NUMBER = String.raw`\d+(?:[.,'’   ]\d{3}(?!\d)){0,6}(?:[.,]\d+)?`;
const numbers = new RegExp(NUMBER, 'gu');
const quantities = new RegExp(
  String.raw`(?<!\d)(${NUMBER})[\s  -]{0,2}(${unitNames.join('|')})(?![\p{Script=Latin}\d])`,
  'giu',
);
const prices = new RegExp(String.raw`([€$£])\s?(${NUMBER})`, 'gu');
const contacts = /\b(?:https?:\/\/|www\.)\S+|(?<![\w.+-])[\w.+-]+@[\w-]+\.[\w.-]+/giu;

/**
 * Which facts of an original a rewritten text lacks, one sentence for each, none when all is well. Numbers are compared by
 * their digits, so that each language may write them its own way; units by what they measure; names in any letter case.
 */
export function findLostFacts(original: string, rewritten: string, names: readonly string[] = []): string[] {
  const [before, after] = [normalise(original), normalise(rewritten)];
  const lostNumbers = numbersMissing(before, after);
  const kept = new Set(quantitiesIn(after).map(({ digits, unit }) => `${digits} ${unit}`));
  const lostUnits = quantitiesIn(before).filter(
    ({ text, digits, unit }) => !kept.has(`${digits} ${unit}`) && !lostNumbers.some((number) => text.includes(number)),
  );
  const lostNames = names.filter((name) => holds(before, name) && !holds(after, name));
  return [
    ...lostNumbers.map((number) => `The number ${number} of the original is missing.`),
    ...unique(lostUnits.map(({ text }) => text)).map((text) => `"${text}" has lost its unit.`),
    ...lostNames.map((name) => `The name "${name}" of the original is missing.`),
  ];
}

/** Which numbers and addresses a rewritten text has that its original has not, one sentence for each. */
export function findInventions(original: string, rewritten: string): string[] {
  const [before, after] = [normalise(original), normalise(rewritten)];
  const addresses = contactsIn(after).filter((contact) => !before.toLowerCase().includes(contact));
  return [
    ...numbersMissing(after, before).map((number) => `The number ${number} is not in the original.`),
    ...unique(addresses).map((address) => `The address "${address}" is not in the original.`),
  ];
}

/** Whether a text holds a name, in any letter case. */
export function holds(text: string, name: string): boolean {
  const folded = normalise(name).toLowerCase().trim();
  return folded !== '' && text.toLowerCase().includes(folded);
}

const normalise = (text: string) => text.normalize('NFKC').replaceAll(/\s+/gu, ' ');
const unique = (texts: readonly string[]) => [...new Set(texts)].slice(0, 20);
const contactsIn = (text: string) =>
  (text.match(contacts) ?? []).map((each) => each.toLowerCase().replace(/(?<![.,;:)])[.,;:)]+$/, ''));

/** `1,200.50`, `1.200,5` and `1 200.5` are all `12005`. */
function digitsOf(text: string): string {
  const [, whole = text, fraction = ''] = /^(.*)[.,](\d{1,2})$/.exec(text) ?? [];
  return (whole.replaceAll(/\D/g, '') + fraction.replace(/(?<!0)0+$/, '')).replace(/^0+(?=\d)/, '');
}

/** The numbers of a text as written, and by their digits: those of the whole and of each of its groups. */
function digitsIn(text: string): { written: Map<string, string>; all: Set<string> } {
  const written = new Map((text.match(numbers) ?? []).map((number) => [number, digitsOf(number)]));
  const groups = [...written.keys()].flatMap((number) => number.split(/\D/).map(digitsOf));
  return { written, all: new Set([...written.values(), ...groups]) };
}

/** The numbers of one text that another lacks; `1 200` may be one number or two side by side. */
function numbersMissing(here: string, there: string): string[] {
  const { all } = digitsIn(there);
  const isThere = (text: string, digits: string) =>
    all.has(digits) || text.split(/\D/).every((group) => all.has(digitsOf(group)));
  const missing = [...digitsIn(here).written].filter(([text, digits]) => !isThere(text, digits));
  return unique(missing.map(([text]) => text));
}

function quantitiesIn(text: string): Quantity[] {
  const found = [...text.matchAll(quantities)].map(([whole, number = '', name = '']) => [
    whole,
    number,
    name.toLowerCase(),
  ]);
  const priced = [...text.matchAll(prices)].map(([whole, sign = '', number = '']) => [whole, number, sign]);
  return [...found, ...priced].map(([whole = '', number = '', name = '']) => ({
    text: whole.trim(),
    digits: digitsOf(number),
    unit: unitOf.get(name) ?? name,
  }));
}
