/** The conditions a listing can have. */
export type Condition = 'new' | 'like_new' | 'good' | 'fair' | 'poor' | 'refurbished';

/** Looked through in this order: the narrower statement stands before the wider one it contains. */
const STATEMENTS: [Condition, string][] = [
  [
    'refurbished',
    'refurb\\w*|renewed|reconditioned|remanufactured|general(?:über|ue?ber)holt|werksüberholt|reconditionné\\w*|remis à neuf|ricondizionat[oaei]|rigenerat[oaei]|reacondicionad[oa]s?|restaurad[oa]|gereviseerd|リファービッシュ|整備済(?:み)?|再生品|리퍼(?:비시)?|재생',
  ],
  [
    'poor',
    'poor|bad|damaged?|broken|defekt\\w*|defective|faulty|salvage|wreck|project(?: boat)?|for parts(?: or not working)?|not working|spares or repair|needs (?:work|repair|restoration)|beschädigt|bastler\\w*|reparaturbedürftig|schlecht\\w*|ersatzteilspender|pour pièces|en panne|mauvais(?: état)?|hors service|à rénover|à restaurer|da ristrutturare|da riparare|non funzionante|per ricambi|danneggiat[oa]|cattivo|pessim[oaei]|mal(?: estado)|averiad[oa]|para piezas|dañad[oa]|no funciona|slecht|kapot|ジャンク(?:品)?|故障(?:品)?|訳あり|全体的に状態が悪い|부품용|고장|파손|하자|수리 ?필요',
  ],
  [
    'like_new',
    "like[ _-]?new|as new|display model|ex[ -]?demo\\w*|demonstrator|showroom model|vorführ\\w*|ausstellungs\\w*|modèle d[’']exposition|nearly new|open(?:ed)?[ -]box|mint(?: condition)?|pristine|excellent\\w*|immaculate|neuwertig\\w*|wie neu|sehr gepflegt|ausgezeichnet\\w*|hervorragend\\w*|comme neufs?|comme neuve|état neuf|quasi neuf|excellent état|come nuov[oaie]|pari al nuovo|ottim[oaei]|eccellente|como nuev[oa]s?|seminuev[oa]s?|excelente|impecable|zo goed als nieuw|som ny(?:tt)?|未使用に近い|新品同様|美品|極美品|거의 ?새(?:것|거)|새것 같은|최상|민트급|s급",
  ],
  [
    'fair',
    "fair|acceptable|average|moderate|worn|satisfactory|befriedigend\\w*|ausreichend\\w*|akzeptabel|gebrauchsspuren|mäßig\\w*|état (?:correct|moyen|d[’']usage)|correct|satisfaisant|moyen|acceptable|discret[oaei]|accettabile|sufficiente|aceptable|regular|redelijk|matig|やや傷や汚れあり|傷や汚れあり|可|보통|사용감 ?있(?:음|는)|b급",
  ],
  [
    'good',
    "very good|good|great|well[ -](?:kept|maintained)|used|pre-?owned|second[ -]?hand|sehr gut\\w*|gut\\w*|gebraucht\\w*|gepflegt\\w*|très bon(?: état)?|bon(?:ne)?(?: état)?|occasion|d[’']occasion|utilisé\\w*|buon[oaei]?|usat[oaei]|seconda mano|muy buen[oa]?|buen[oa]?(?: estado)?|usad[oa]s?|segunda mano|de ocasión|goed|gebruikt|tweedehands|begagnad\\w*|brukt|brugt|目立った傷や汚れなし|良好|良い|中古(?:品|艇|車)?|양호|좋음|중고|a급",
  ],
  [
    'new',
    'brand[ -]?new|factory new|new|unused|neu\\w*|fabrikneu|ungebraucht|neuboot|neuf|neuve|neufs|nuov[oaie]|nuev[oa]s?|a estrenar|sin usar|nieuw\\w*|ny(?:tt|e)?|nowy|新品|未使用|新艇|新古品|새(?:제품|상품|것|차)|신품|미개봉|미사용',
  ],
];

const PATTERNS = STATEMENTS.map(([condition, words]): [Condition, RegExp] => [
  condition,
  new RegExp(`(?<![\\p{Script=Latin}])(?:${words})(?![\\p{Script=Latin}])`, 'iu'),
]);
const NOT_NEW =
  /(?<!\p{L})(?:not|nicht|pas|non|no|niet)\s+(?:brand\s+)?(?:new|neu\w*|neuf|neuve|nuov\w|nuev\w|nieuw)/giu;

/**
 * The condition a short statement means, in seven languages and schema.org's terms (`UsedCondition` -> good,
 * `NewCondition` -> new, `neuwertig` -> like_new); undefined when it says nothing about it.
 */
export function normalizeCondition(text: string | undefined): Condition | undefined {
  if (text === undefined) return undefined;
  const term = text
    .slice(0, 200)
    .normalize('NFC')
    .replace(/^.*schema\.org\//i, '');
  const clean = term
    .replace(/([a-z])(Condition)\b/g, '$1')
    .replace(/_/g, ' ')
    .replace(NOT_NEW, ' used ');
  return PATTERNS.find(([, pattern]) => pattern.test(clean))?.[0];
}
