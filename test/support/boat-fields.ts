/** What a field of the boat schema holds; a list names the only values there are. */
type Kind = 'text' | 'number' | 'integer' | 'boolean' | 'date' | readonly string[];
export type FieldTable = Record<string, Kind>;

/** The nautical extension as the interface describes it, written down by hand: top level, then group by group. */
export const topLevel: FieldTable = {
  type: ['boat'],
  category: 'text',
  subcategory: 'text',
  listing_type: ['sale', 'wanted'],
  condition: ['new', 'like_new', 'good', 'fair', 'poor', 'refurbished'],
  status: ['draft', 'active', 'paused', 'sold', 'expired', 'flagged', 'deleted'],
  brand: 'text',
  model: 'text',
  variant: 'text',
  year: 'integer',
  hull_id: 'text',
};

export const specs: Record<string, FieldTable> = {
  dimensions: {
    length_overall_m: 'number',
    length_waterline_m: 'number',
    beam_m: 'number',
    draft_m: 'number',
    draft_shallow_m: 'number',
    air_draft_m: 'number',
    displacement_kg: 'number',
    ballast_kg: 'number',
  },
  construction: {
    material: ['fiberglass', 'steel', 'aluminum', 'wood', 'carbon', 'concrete'],
    hull_type: ['monohull', 'catamaran', 'trimaran'],
    keel_type: ['fixed', 'lifting', 'swing', 'twin', 'fin', 'full', 'bulb'],
    keel_material: 'text',
    rudder_type: ['spade', 'skeg', 'balanced', 'transom'],
    deck_material: 'text',
    builder: 'text',
    designer: 'text',
  },
  rigging: {
    rig_type: ['sloop', 'cutter', 'ketch', 'yawl', 'schooner', 'cat'],
    mast_type: 'text',
    mainsail_type: 'text',
    furling_system: ['headsail', 'main', 'none'],
    sail_area_main_m2: 'number',
    sail_area_jib_m2: 'number',
    spinnaker: 'boolean',
    genoa: 'boolean',
  },
  accommodation: {
    cabins: 'integer',
    berths: 'integer',
    heads: 'integer',
    saloon: 'boolean',
    galley: 'boolean',
    nav_station: 'boolean',
    interior_material: 'text',
    heating: 'text',
    air_conditioning: 'boolean',
  },
  engine: {
    engine_brand: 'text',
    engine_model: 'text',
    engine_type: ['inboard', 'outboard', 'sterndrive', 'pod', 'saildrive'],
    fuel_type: ['diesel', 'petrol', 'electric', 'hybrid'],
    engine_power_hp: 'number',
    engine_power_kw: 'number',
    engine_hours: 'number',
    engine_year: 'integer',
    propulsion_type: 'text',
    propeller_type: 'text',
    max_speed_kn: 'number',
    cruise_speed_kn: 'number',
  },
  tanks: { fuel_capacity_l: 'number', water_capacity_l: 'number', holding_tank_l: 'number' },
  electrical: {
    battery_type: ['AGM', 'gel', 'lithium', 'lead-acid'],
    battery_count: 'integer',
    battery_capacity_ah: 'number',
    shore_power: 'boolean',
    shore_power_v: 'number',
    solar_panels: 'boolean',
    wind_generator: 'boolean',
    generator: 'boolean',
    inverter: 'boolean',
    inverter_w: 'number',
  },
  electronics: {
    chartplotter: 'text',
    autopilot: 'text',
    vhf: 'text',
    ais: 'boolean',
    radar: 'boolean',
    depth_sounder: 'boolean',
    wind_instruments: 'boolean',
    log_speed: 'boolean',
    wifi: 'boolean',
  },
  safety: {
    life_raft: 'boolean',
    life_raft_capacity: 'integer',
    life_raft_expiry: 'date',
    life_jackets: 'integer',
    fire_extinguishers: 'integer',
    bilge_pumps: 'integer',
    flares: 'boolean',
    epirb: 'boolean',
    first_aid: 'boolean',
    category: ['A', 'B', 'C', 'D'],
  },
  deck_equipment: {
    anchor_type: 'text',
    anchor_weight_kg: 'number',
    anchor_chain_m: 'number',
    windlass: ['electric', 'manual', 'hydraulic', 'none'],
    davits: 'boolean',
    swim_platform: 'boolean',
    bimini: 'boolean',
    sprayhood: 'boolean',
    dodger: 'boolean',
    cockpit_table: 'boolean',
    cockpit_cushions: 'boolean',
  },
  additional: {
    trailer_included: 'boolean',
    mooring_available: 'boolean',
    tax_paid: 'boolean',
    ce_certified: 'boolean',
    flag: 'text',
    registration: 'text',
  },
};

const samples = { text: 'Teak, „geölt“ 🛥', number: 12.75, integer: 2_012, boolean: true, date: '2027-05-31' };
/** Integers whose limits a year of build would break. */
const few = new Set([
  'cabins',
  'berths',
  'heads',
  'battery_count',
  'life_raft_capacity',
  'life_jackets',
  'fire_extinguishers',
  'bilge_pumps',
]);

/** Every field of a table with a value it may have: of the lists the one at that place, beginning anew at the end. */
export function filled(table: FieldTable, turn = 0): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(table).map(([name, kind]) => [
      name,
      typeof kind === 'string' ? (few.has(name) ? 3 : samples[kind]) : kind[turn % kind.length],
    ]),
  );
}

/** A boat that has every field there is. */
export function fullBoat(turn = 0): Record<string, unknown> {
  return {
    ...filled(topLevel, turn),
    price_history: [
      { date: '2024-02-29', amount: 135_000, currency: 'EUR' },
      { date: '2025-06-01', amount: 132_500.5, currency: 'EUR' },
    ],
    specs: Object.fromEntries(Object.entries(specs).map(([group, table]) => [group, filled(table, turn)])),
    images: ['exterior', 'interior', 'deck', 'engine', 'plan'].map((type, order) => ({
      url: `https://pictures.example.com/${order}.jpg`,
      type,
      order,
    })),
    source: {
      portals: ['boats.example.com', 'yachts.example.org'],
      original_urls: ['https://boats.example.com/4711'],
      original_descriptions: ['A fine yacht.\nOne owner.'],
      dedup_id: 'ddg_1',
      first_seen: '2026-01-01T10:00:00Z',
      last_scraped: '2026-02-01T10:00:00.5+02:00',
      scrape_count: 12,
    },
    seo: {
      slug: 'bavaria-cruiser-46',
      meta_title: 'm'.repeat(70),
      meta_description: '🛥'.repeat(160),
      keywords: ['yacht', 'segeln'],
      rewritten_content: { de: { title: 'Schöne Yacht', description: 'Sehr gepflegt.' }, fr: 'Très bien entretenu.' },
    },
  };
}

/** Values that a field of this kind refuses. */
export function wrongValues(kind: Kind): unknown[] {
  if (typeof kind !== 'string')
    return ['no such value', kind[0]?.toUpperCase() === kind[0] ? 1 : kind[0]?.toUpperCase()];
  const wrong = {
    text: [7, ['a'], 'x'.repeat(20_001)],
    number: ['12', -1, 1e15, true],
    integer: [1.5, '3', -1],
    boolean: ['true', 1],
    date: ['2027-02-30', '31.05.2027', 7, '2027-05-31T00:00:00Z'],
  };
  return wrong[kind];
}
