/** Terms of the nautical extension and the words that mean them; the first matching line counts. */
export type Terms = [value: string, words: RegExp][];

export const MATERIALS: Terms = [
  ['carbon', /carbon|kohlefaser|carbone|carbonio|カーボン|카본/i],
  ['aluminum', /alumin|alloy|\balu\b|アルミ|알루미늄/i],
  ['steel', /steel|stahl|\bacier|acero|acciaio|staal|スチール|鋼|강철|스틸/i],
  ['concrete', /concrete|ferro|beton|béton|hormigón|cemento/i],
  ['wood', /wood|holz|\bbois|madera|legno|\bhout|mahogany|mahagoni|teak|plywood|sperrholz|木造|목재/i],
  [
    'fiberglass',
    /fib(?:er|re) ?glass|grp|gfk|gpr|frp|polyester|plastic|kunststoff|plastique|\bprfv\b|vetroresina|fibra de vidrio|composite|glasfaser|epoxy|laminate|\bpvc\b|FRP|グラスファイバー|유리섬유/i,
  ],
];

export const HULL_TYPES: Terms = [
  ['trimaran', /trimaran|トリマラン|삼동선/i],
  ['catamaran', /catamar|katamaran|multi ?hull|mehrrumpf|multicoque|カタマラン|쌍동선/i],
  ['monohull', /mono ?hull|einrumpf|monocoque|monoscafo|monocasco|モノハル|단동선/i],
];

export const KEEL_TYPES: Terms = [
  [
    'lifting',
    /lift|hub|relevable|swing ?\/ ?lift|centre?board|center ?board|schwert|dériveur|deriva mobile|sword|retractable|kielschwert|bulbo mobile/i,
  ],
  ['swing', /swing|canting|pendel|pivot|schwenk/i],
  ['twin', /twin|bilge|kimm|biquille|doppelkiel|doppia/i],
  ['bulb', /bulb|bulbe|bulbo|bombe|torpedo/i],
  ['full', /full|long|langkiel|quille longue|lunga|corrida/i],
  ['fin', /fin|kurzkiel|flossen|aileron|pinna|aleta/i],
  ['fixed', /fixed|fest|fixe|fija|fissa/i],
];

export const RUDDER_TYPES: Terms = [
  ['skeg', /skeg/i],
  ['spade', /spade|spaten|suspendu/i],
  ['balanced', /balanced|vorbalanciert|balancier|compensé/i],
  ['transom', /transom|heckruder|tableau/i],
];

export const RIG_TYPES: Terms = [
  ['cutter', /cutter|kutter|cotre|cúter/i],
  ['ketch', /ketch/i],
  ['yawl', /yawl/i],
  ['schooner', /schooner|schoner|goélette|goleta|goletta/i],
  ['cat', /\bcat\b|catboat|una rig/i],
  ['sloop', /sloop|slup|balandro/i],
];

export const ENGINE_TYPES: Terms = [
  ['saildrive', /sail ?drive/i],
  ['pod', /\bpod\b|ips/i],
  ['sterndrive', /stern ?drive|z-?drive|z-?antrieb|inboard\/outboard|\bi\/o\b|embase|entrofuoribordo|dentro-?fuera/i],
  [
    'outboard',
    /out ?board|außenbord|aussenbord|hors[- ]bord|fuera ?borda|fuoribordo|buitenboord|utombord|船外機|선외기/i,
  ],
  [
    'inboard',
    /in ?board|innenbord|in-bord|intra ?borda|dentro ?borda|entrobordo|binnenboord|inombord|shaft|wellen|ligne d[’']arbre|linea d[’']asse|eje|船内機|선내기/i,
  ],
];

export const FUEL_TYPES: Terms = [
  ['hybrid', /hybrid|híbrido|ibrid|ハイブリッド|하이브리드/i],
  ['electric', /electric|elektr|électrique|eléctric|elettric|strom|電動|電気|전기/i],
  ['diesel', /diesel|gas ?oil|gasöl|gazole|gasóleo|gasolio|gasoil|ディーゼル|軽油|디젤|경유/i],
  ['petrol', /petrol|gasoline|unleaded|benzin|essence|gasolina|benzina|\bgas\b|leaded|ガソリン|가솔린|휘발유/i],
];

export const BATTERY_TYPES: Terms = [
  ['lithium', /lithium|life ?po|li-?ion/i],
  ['AGM', /\bagm\b/i],
  ['gel', /\bgel\b/i],
  ['lead-acid', /lead|blei|plomb|plomo|piombo/i],
];

export const WINDLASS: Terms = [
  ['electric', /electr|elektr|élect|eléctr|elett/i],
  ['hydraulic', /hydraul|hidráu|idraul/i],
  ['manual', /manual|hand|manuel|manuale/i],
  ['none', /^(?:no|none|nein|non|keine?)$/i],
];

export const DESIGN_CATEGORIES: Terms = [
  ['A', /^(?:ce[ -]?)?(?:kat(?:egorie)?\.? ?|cat(?:egory)?\.? ?)?a\b|ocean|hochsee/i],
  ['B', /^(?:ce[ -]?)?(?:kat(?:egorie)?\.? ?|cat(?:egory)?\.? ?)?b\b|offshore/i],
  ['C', /^(?:ce[ -]?)?(?:kat(?:egorie)?\.? ?|cat(?:egory)?\.? ?)?c\b|inshore|küsten/i],
  ['D', /^(?:ce[ -]?)?(?:kat(?:egorie)?\.? ?|cat(?:egory)?\.? ?)?d\b|sheltered|geschützt/i],
];

/** The value of the first line whose words occur in the text. */
export function termIn(text: string, terms: Terms): string | undefined {
  return terms.find(([, words]) => words.test(text))?.[0];
}
