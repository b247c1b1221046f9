import { memoizeText } from '../kit/memoize-text.ts';

/** Equipment that the nautical extension has no field for: the key of its attribute and the words for it, small letters. */
const EQUIPMENT = `
bow_thruster: bow thruster|bowthruster|bugstrahlruder|propulseur d'étrave|propulseur d'etrave|hélice de proa|elica di prua|boegschroef|バウスラスター|바우 스러스터|바우스러스터
stern_thruster: stern thruster|heckstrahlruder|propulseur de poupe|propulseur arrière|hélice de popa|elica di poppa|hekschroef|スタンスラスター
gps: gps|gps navigator|navigation gps
compass: compass|kompass|compas|compás|bussola|kompas|コンパス|나침반
tender: tender|dinghy|beiboot|annexe|auxiliar|bijboot|テンダー
refrigerator: refrigerator|fridge|kühlschrank|réfrigérateur|frigo|frigorífico|nevera|frigorifero|koelkast|冷蔵庫|냉장고
freezer: freezer|deep freezer|gefrierschrank|tiefkühler|congélateur|congelador|congelatore|vriezer|冷凍庫
oven: oven|backofen|four|horno|forno
microwave: microwave|microwave oven|mikrowelle|micro-ondes|microondas|microonde|電子レンジ|전자레인지
hot_water: hot water|warmwasser|boiler|eau chaude|chauffe-eau|agua caliente|acqua calda|温水
water_maker: watermaker|water maker|desalinator|wassermacher|dessalinisateur|potabilizadora|dissalatore|造水機
battery_charger: battery charger|ladegerät|batterieladegerät|chargeur de batterie|chargeur de batteries|cargador de baterías|caricabatterie|acculader
swim_ladder: swimming ladder|swim ladder|bathing ladder|badeleiter|échelle de bain|escalera de baño|scaletta bagno|zwemtrap
teak_deck: teak deck|teak decks|teakdeck|pont en teck|pont teck|cubierta de teca|coperta in teak
teak_cockpit: teak cockpit|teak im cockpit|cockpit en teck|bañera de teca|pozzetto in teak
gangway: gangway|passerelle|passarella|pasarela|gangplank
cockpit_shower: cockpit shower|deck shower|cockpitdusche|heckdusche|douche de cockpit|ducha de bañera|doccia pozzetto|doccetta
electric_winch: electric winch|electric winches|elektrische winsch|elektrowinsch|winch électrique|winche eléctrico|winch elettrico
lazy_jacks: lazy jack|lazyjack|lazy jacks|lazyjacks
lazy_bag: lazy bag|lazybag
furling_mainsail: furling mainsail|in-mast furling|rollgroßsegel|grand-voile à enrouleur|grand voile enrouleur|mayor enrollable|randa avvolgibile
furling_genoa: furling genoa|roller furling|rollgenua|rollfock|génois à enrouleur|génois enrouleur|génova enrollable|genoa avvolgibile|genoa avvolgifiocco
spinnaker: spinnaker|spi|spi symétrique
gennaker: gennaker|cruising spinnaker|asymmetric spinnaker|blister|spi asymétrique
trim_tabs: trim tabs|trimmklappen|flaps|volets de trim
television: tv|tv set|television|fernseher|télévision|televisión|televisore|テレビ|텔레비전
bilge_pump: bilge pump|electric bilge pump|manual bilge pump|bilgepumpe|pompe de cale|bomba de achique|pompa di sentina
washing_machine: washing machine|waschmaschine|lave-linge|lavadora|lavatrice|洗濯機|세탁기
`;

const BY_WORDS = new Map(
  EQUIPMENT.trim()
    .split('\n')
    .flatMap((line) => {
      const [key = '', words = ''] = line.split(': ');
      return words.split('|').map((each) => [each, key] as const);
    }),
);
const PRESENT =
  /^(?:|yes|ja|oui|sí|si|sì|はい|あり|有|예|있음|x|✓|✔|☑|true|included|vorhanden|inklusive|inclus|incluido|incluso)$/iu;
const MAX_LABEL = 40;
const MAX_WORDS = 4;

/** True for what is printed beside the name of a thing that is there: nothing, a tick, a yes in the service's languages. */
export function isPresent(value: string): boolean {
  return PRESENT.test(value.trim());
}

/** The key of the attribute for a piece of equipment, whatever its language; undefined for others. */
export const equipmentKeyOf = memoizeText((label): string | undefined => {
  const plain = label
    .trim()
    .toLowerCase()
    .normalize('NFC')
    .replaceAll(/[’‘]/g, "'")
    .replace(/(?<![:.!])[:.!]+$/, '');
  return BY_WORDS.get(plain);
});

/** True for a label short enough to be the name of a thing and not a sentence. */
export function isThing(label: string): boolean {
  return label.length <= MAX_LABEL && label.trim().split(/\s+/).length <= MAX_WORDS && /\p{L}{2}/u.test(label);
}
