import { memoizeText } from '../kit/memoize-text.ts';
/** How the text behind a label is read. */
export type Kind =
  | 'length'
  | 'mass'
  | 'volume'
  | 'area'
  | 'speed'
  | 'charge'
  | 'count'
  | 'year'
  | 'text'
  | 'flag'
  | 'material'
  | 'hull'
  | 'keel'
  | 'rudder'
  | 'rig'
  | 'engine'
  | 'fuel'
  | 'battery'
  | 'windlass'
  | 'design';

/**
 * Labels of boat portals and brokers in the service's languages, small letters: a line with the field of the nautical
 * extension and its kind, then indented lines with the labels that mean it.
 */
const LABELS = `
dimensions.length_overall_m length
  length | loa | l.o.a | length overall | overall length | length over all | boat length | hull length | length on
  deck | nominal length | länge | länge über alles | lüa | loa/lüa | rumpflänge | longueur | longueur hors tout |
  longueur totale | lht | eslora | eslora total | lunghezza | lunghezza fuori tutto | lunghezza totale | lft |
  lengte | längd | 全長 | 전장 | 길이 | 선체길이 | length x width | length width | length x beam | length beam |
  l x b | l x w | dimensions | länge x breite | länge breite | abmessungen | maße | longueur x largeur |
  eslora x manga | dimensiones | lunghezza x larghezza | dimensioni | lengte x breedte | afmetingen | mått
dimensions.length_waterline_m length
  lwl | l.w.l | length at waterline | waterline length | wasserlinienlänge | länge wasserlinie | longueur
  flottaison | longueur à la flottaison | eslora de flotación | lunghezza al galleggiamento | 水線長
dimensions.beam_m length
  beam | width | max beam | maximum beam | boat width | breite | größte breite | breite über alles | largeur | bau
  | largeur maximale | manga | manga máxima | larghezza | baglio | baglio massimo | breedte | bredd | 全幅 | 폭 | 전폭
  | 선폭
dimensions.draft_m length
  draft | draught | max draft | maximum draft | max draught | deep draft | keel draft | tiefgang | tiefgang max |
  tirant d’eau | tirant d'eau | tirant d’eau max | calado | calado máximo | calado max | pescaggio | immersione |
  immersione massima | diepgang | djupgående | 吃水 | 흘수
dimensions.draft_shallow_m length
  min draft | minimum draft | draft min | shallow draft | drive up draft | draft (drive up) | tiefgang min |
  tirant d’eau min | calado mínimo | pescaggio minimo
dimensions.air_draft_m length
  air draft | air draught | bridge clearance | clearance | durchfahrtshöhe | tirant d’air | tirant d'air | guinda
  | altezza massima dall’acqua | doorvaarthoogte
dimensions.displacement_kg mass
  displacement | dry weight | weight | gewicht | verdrängung | leergewicht | déplacement | poids | desplazamiento
  | peso | dislocamento | waterverplaatsing | deplacement | 排水量 | 重量 | 배수량 | 무게 | 중량
dimensions.ballast_kg mass
  ballast | ballast weight | kielgewicht | lest | lastre | zavorra | バラスト
construction.material material
  material | hull material | hull | rumpfmaterial | baumaterial | werkstoff | matériau | matériau de coque |
  matériau coque | coque | material del casco | casco | materiale | materiale scafo | scafo | bouwmateriaal |
  materiaal | 船体材質 | 材質 | 선체재질 | 재질
construction.hull_type hull
  hull type | hull configuration | rumpfform | rumpftyp | type de coque | tipo de casco | tipo scafo
construction.keel_type keel
  keel | keel type | kiel | kielart | kieltyp | kielform | quille | type de quille | quilla | tipo de quilla |
  chiglia | tipo chiglia | kieltype | キール
construction.keel_material text
  keel material | kielmaterial | ballast material
construction.rudder_type rudder
  rudder | rudder type | ruder | ruderart | safran | gouvernail | timón | timone
construction.deck_material text
  deck material | deck | decksmaterial | matériau du pont | material de cubierta | materiale coperta
construction.builder text
  builder | boat builder | shipyard | yard | werft | bootswerft | hersteller | chantier | constructeur | astillero
  | cantiere | werf | 造船所 | メーカー | 조선소 | 제조사
construction.designer text
  designer | naval architect | architect | design by | konstrukteur | architecte | diseñador | progettista |
  ontwerper | 設計者 | 디자이너
rigging.rig_type rig
  rig | rig type | rigging | sail plan | takelung | takelage | rigg | gréement | aparejo | armo | attrezzatura |
  tuigage | リグ
rigging.mast_type text
  mast | mast material | mastmaterial | mât
rigging.sail_area_main_m2 area
  mainsail | main sail | mainsail area | großsegel | gross | grand-voile | grand voile | vela mayor | mayor |
  randa | grootzeil | メインセイル
rigging.sail_area_jib_m2 area
  genoa area | jib area | genoa | jib | vorsegel | fock | génois | foque | génova | fiocco | genua
accommodation.cabins count
  cabins | number of cabins | no. of cabins | cabin | kabinen | anzahl kabinen | kabinenanzahl | cabines | nombre
  de cabines | camarotes | cabinas | cabine | numero cabine | hutten | hytter | キャビン | キャビン数 | 객실 | 선실
accommodation.berths count
  berths | number of berths | beds | sleeps | sleeping capacity | sleeping places | kojen | schlafplätze | betten
  | anzahl kojen | couchages | couchettes | nombre de couchages | literas | plazas | posti letto | cuccette |
  slaapplaatsen | kojplatser | バース | 침대
accommodation.heads count
  heads | number of heads | bathrooms | number of bathrooms | toilets | wc | nasszellen | badezimmer | toiletten |
  toilettes | salles d’eau | salle de bain | baños | aseos | bagni | トイレ | 화장실
accommodation.heating text
  heating | heizung | chauffage | calefacción | riscaldamento | verwarming
accommodation.air_conditioning flag
  air conditioning | air-conditioning | aircon | klimaanlage | climatisation | aire acondicionado | aria
  condizionata
engine.engine_brand text
  engine brand | engine make | engine manufacturer | motor brand | motormarke | motorhersteller | marque moteur |
  marque du moteur | marca motor | marca del motor | marca motore | motormerk | エンジンメーカー | 엔진제조사
engine.engine_model text
  engine model | motor model | motormodell | motortyp | modèle moteur | modèle du moteur | modelo motor | modelo
  del motor | modello motore | エンジン型式
engine.engine_type engine
  engine type | propulsion | propulsion type | motorisation type | antrieb | antriebsart | antriebstyp | type de
  moteur | type de propulsion | transmission | tipo de motor | propulsión | tipo motore | propulsione |
  trasmissione | aandrijving | 駆動方式
engine.fuel_type fuel
  fuel | fuel type | fueltype | engine/fuel type | engine fuel | kraftstoff | kraftstoffart | treibstoff |
  carburant | combustible | tipo de combustible | carburante | alimentazione | brandstof | bränsle | 燃料 | 연료
engine.engine_hours count
  engine hours | hours | running hours | motor hours | motorstunden | betriebsstunden | maschinenstunden | heures
  moteur | heures de moteur | nb heures moteur | horas de motor | horas motor | ore motore | ore di moto |
  draaiuren | gångtimmar | アワーメーター | 使用時間 | 엔진시간 | 사용시간
engine.engine_year year
  engine year | year of engine | motorbaujahr | baujahr motor | année moteur | año del motor | año motor | anno
  motore
engine.propeller_type text
  propeller | propeller type | schraube | hélice | elica | schroef
engine.max_speed_kn speed
  max speed | maximum speed | top speed | höchstgeschwindigkeit | max. geschwindigkeit | vitesse max | vitesse
  maximale | velocidad máxima | velocità massima | topsnelheid | 最高速力 | 최고속도
engine.cruise_speed_kn speed
  cruising speed | cruise speed | reisegeschwindigkeit | marschgeschwindigkeit | vitesse de croisière | velocidad
  de crucero | velocità di crociera | kruissnelheid | 巡航速力 | 순항속도
tanks.fuel_capacity_l volume
  fuel capacity | fuelcapacity | fuel tank | fuel tanks | fuel tank capacity | kraftstofftank | dieseltank | tank
  | treibstofftank | réservoir carburant | réservoir de carburant | capacidad combustible | depósito de
  combustible | serbatoio carburante | capacità carburante | brandstoftank | 燃料タンク | 연료탱크
tanks.water_capacity_l volume
  water capacity | fresh water | water tank | water tanks | fresh water tank | fresh water tanks | wassertank |
  frischwassertank | frischwasser | réservoir d’eau | eau douce | réservoir eau | depósito de agua | agua dulce |
  serbatoio acqua | capacità acqua | watertank | 清水タンク | 청수탱크
tanks.holding_tank_l volume
  holding tank | holding tanks | black water | black water tank | fäkalientank | schmutzwassertank | eaux noires |
  aguas negras | acque nere
electrical.battery_type battery
  battery type | batterietyp | type de batterie | tipo de batería
electrical.battery_capacity_ah charge
  battery capacity | batteriekapazität
electrical.shore_power flag
  shore power | shore power inlet | landanschluss | landstrom | prise de quai | toma de puerto | presa di banchina
  | walstroom
electrical.solar_panels flag
  solar panel | solar panels | solarpanel | solaranlage | panneaux solaires | panneau solaire | placas solares |
  paneles solares | pannelli solari
electrical.wind_generator flag
  wind generator | windgenerator | éolienne | generador eólico | generatore eolico
electrical.generator flag
  generator | genset | groupe électrogène | generador | generatore | 発電機 | 발전기
electrical.inverter flag
  inverter | wechselrichter | convertisseur | inversor | インバーター | 인버터
electronics.chartplotter text
  plotter | chartplotter | chart plotter | kartenplotter | gps plotter | traceur | ploter
electronics.autopilot text
  autopilot | auto pilot | pilote automatique | piloto automático | pilota automatico | autopilota | stuurautomaat
  | オートパイロット | 오토파일럿
electronics.vhf text
  vhf | ukw | funk | radio vhf
electronics.ais flag
  ais
electronics.radar flag
  radar | レーダー | 레이더
electronics.depth_sounder flag
  depth sounder | depthsounder | echo sounder | echolot | sondeur | sonda | ecoscandaglio | dieptemeter | 魚探 |
  魚群探知機 | 어군탐지기
electronics.wind_instruments flag
  wind instruments | wind speed and direction | windmesser | windmessanlage | anémomètre | girouette anémomètre |
  stazione del vento
electronics.log_speed flag
  log | log-speedometer | speedometer | logge | loch | corredera | solcometro
safety.life_raft flag
  life raft | liferaft | rettungsinsel | radeau de survie | balsa salvavidas | zattera | reddingsvlot
safety.life_raft_capacity count
  life raft capacity | liferaft capacity | total liferaft capacity
safety.epirb flag
  epirb
safety.category design
  ce category | ce design category | design category | ce-kategorie | ce kategorie | entwurfskategorie |
  cespezifikation | ce certification | catégorie ce | catégorie de conception | categoría ce | categoría de diseño
  | categoria ce | categoria di progettazione
deck_equipment.anchor_type text
  anchor | anchor type | anker | ancre | ancla | ancora
deck_equipment.windlass windlass
  windlass | anchor windlass | ankerwinde | guindeau | molinete | salpa ancora | verricello | ankerlier
deck_equipment.davits flag
  davits | bossoirs | pescantes | gruette
deck_equipment.swim_platform flag
  swim platform | swimming platform | bathing platform | badeplattform | plateforme de bain | plataforma de baño |
  piattaforma bagno | spiaggetta
deck_equipment.bimini flag
  bimini | bimini top
deck_equipment.sprayhood flag
  sprayhood | spray hood | capote | capota
deck_equipment.cockpit_table flag
  cockpit table | cockpittisch | table de cockpit | mesa de bañera | tavolo pozzetto
deck_equipment.cockpit_cushions flag
  cockpit cushions | cockpitpolster | coussins de cockpit | cojines de bañera | cuscini pozzetto
additional.trailer_included flag
  trailer | trailer included | inkl. trailer | bootstrailer | remorque | remolque | rimorchio | トレーラー | 트레일러
additional.mooring_available flag
  mooring | berth available | liegeplatz | place de port | amarre | posto barca | ligplaats | 係留 | 계류장
additional.flag text
  flag | flag of registry | flagge | pavillon | bandera | bandiera | vlag | 船籍 | 선적
additional.registration text
  registration | registration number | registrierung | zulassung | immatriculation | matrícula | immatricolazione
  | registratie
`;

export type BoatField = { group: string; field: string; kind: Kind };

const BY_LABEL = new Map(
  LABELS.trim()
    .split(/\n(?=\w)/)
    .flatMap((entry) => {
      const [head = '', ...lines] = entry.trim().split('\n');
      const [, group = '', field = '', kind = ''] = /^(\w+)\.(\w+) (\w+)$/.exec(head) ?? [];
      const labels = lines
        .join(' ')
        .split('|')
        .map(labelKey)
        .filter((label) => label !== '');
      return labels.map((label): [string, BoatField] => [label, { group, field, kind: kind as Kind }]);
    }),
);

/** The field of the nautical extension a printed label stands for, whatever its unit, case and punctuation. */
export const boatFieldOf = memoizeText(
  (label): BoatField | undefined =>
    BY_LABEL.get(labelKey(label)) ?? BY_LABEL.get(labelKey(label.replace(/[([].*$/s, ''))),
);

function labelKey(label: string): string {
  return label
    .toLowerCase()
    .normalize('NFC')
    .replace(/['’‘]/g, '’')
    .replace(/[^\p{L}\p{N}’/]+/gu, ' ')
    .trim();
}
