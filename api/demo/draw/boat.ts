import type { Dice } from './dice.ts';
import { drawSeascape } from './scenery.ts';

const hulls = [
  '#f5f7f8',
  '#1f3a5f',
  '#b8322f',
  '#e9e2d2',
  '#23343f',
  '#2d6a6a',
  '#d9a441',
  '#6d7f8c',
  '#8c2f39',
] as const;
const trims = ['#c8443c', '#1f6f8b', '#d9a441', '#3f4e5a', '#2c7a5a', '#e8eef1'] as const;

type Paint = { hull: string; trim: string };

/** Each kind is drawn about the point where its waterline is in the middle of 800 units; up is negative. */
const kinds: Record<string, (paint: Paint, dice: Dice) => string> = {
  sail: ({ hull, trim }, dice) => {
    const top = -Math.round(dice.between(470, 540));
    const isUp = dice.chance(0.7);
    const sails = isUp
      ? `<path d="M-14 ${top + 16} Q-230 -180 -270 -96 L-14 -96Z" fill="#fdfcf7"/><path d="M8 ${top + 40} Q190 -190 262 -84 L8 -84Z" fill="${dice.chance(0.3) ? trim : '#f4efe2'}"/><path d="M-14 ${top + 150} L-130 -210 M-14 ${top + 260} L-205 -150" stroke="#0001" stroke-width="3"/>`
      : `<rect x="-262" y="-108" width="250" height="20" rx="10" fill="${trim}"/><path d="M0 ${top} L282 -60 M0 ${top} L-300 -62" stroke="#39464f" stroke-width="3"/>`;
    return `<path d="M-3 ${top} h6 V-60 h-6Z" fill="#5b666e"/>${sails}<path d="M-270 -92 H-10" stroke="#5b666e" stroke-width="6"/><path d="M-150 -62 Q-130 -96 -60 -96 H60 Q110 -92 150 -58Z" fill="#f2f4f4"/>${windows(-95, -82, 5, 32, 12)}<path d="M-312 -64 Q0 -52 306 -74 Q282 -4 206 22 H-250 Q-296 2 -312 -64Z" fill="${hull}"/>${stripe(-306, 292, -40, trim)}`;
  },
  catamaran: ({ hull, trim }, dice) => {
    const top = -Math.round(dice.between(430, 500));
    return `<path d="M-3 ${top} h6 V-90 h-6Z" fill="#5b666e"/><path d="M-12 ${top + 10} Q-210 -200 -240 -130 L-12 -130Z" fill="#fdfcf7"/><path d="M8 ${top + 40} Q170 -200 240 -100 L8 -100Z" fill="${trim}"/><path d="M-190 -74 Q-170 -136 -90 -138 H60 Q130 -132 160 -74Z" fill="#f6f8f8"/>${windows(-130, -118, 4, 56, 24)}<path d="M-330 -76 H330 Q322 -20 290 6 H-300 Q-330 -20 -330 -76Z" fill="${hull}"/><path d="M-150 -22 Q0 -52 160 -22 L150 8 H-140Z" fill="#0003"/>${stripe(-326, 322, -52, trim)}`;
  },
  yacht: ({ hull, trim }, dice) => {
    const high = dice.chance(0.6);
    const bridge = high
      ? `<path d="M-150 -178 L-120 -236 H70 L120 -178Z" fill="#f4f6f7"/><path d="M-140 -262 H60 L84 -244 H-150Z" fill="#dfe5e8"/><path d="M-120 -244 v26 M50 -244 v20" stroke="#7c8891" stroke-width="6"/>`
      : '<path d="M-60 -178 L-40 -214 h10 l14 36Z" fill="#dfe5e8"/>';
    return `${bridge}<path d="M-250 -82 L-226 -178 H110 Q190 -150 226 -84Z" fill="#fafbfb"/>${windows(-200, -152, 5, 58, 34)}<path d="M-330 -86 H330 Q300 -10 232 18 H-300 Q-336 -20 -330 -86Z" fill="${hull}"/>${windows(-180, -52, 6, 52, 14, 14)}${stripe(-330, 318, -74, trim)}<path d="M170 -92 V-118 H300 M216 -92 V-118 M262 -92 V-118" stroke="#9aa6ad" stroke-width="4" fill="none"/>`;
  },
  speed: ({ hull, trim }, dice) => {
    const console = dice.chance(0.5);
    const upper = console
      ? `<rect x="-46" y="-110" width="76" height="66" rx="8" fill="#eef2f3"/><path d="M-70 -168 H64 L52 -154 H-60Z" fill="${trim}"/><path d="M-50 -158 V-100 M44 -158 V-100" stroke="#8c979e" stroke-width="6"/>`
      : `<path d="M-30 -44 L30 -96 Q84 -92 112 -44Z" fill="#9fc2d4" opacity=".85"/><path d="M-170 -44 q10 -34 60 -34 h70 v34Z" fill="${trim}"/>`;
    return `${upper}<path d="M-286 -48 Q0 -40 300 -62 Q268 -8 172 20 H-262 Q-286 0 -286 -48Z" fill="${hull}"/>${stripe(-282, 288, -26, trim)}<path d="M-330 -70 h44 v56 h-30Z" fill="#2c343a"/>`;
  },
  pontoon: ({ hull, trim }) =>
    `<path d="M-230 -190 H140 L120 -172 H-210Z" fill="${trim}"/><path d="M-200 -176 V-60 M110 -176 V-60" stroke="#8c979e" stroke-width="6"/><rect x="-290" y="-104" width="560" height="62" rx="6" fill="${hull}"/><path d="M-280 -80 H262" stroke="${trim}" stroke-width="10"/><rect x="-180" y="-132" width="80" height="30" rx="8" fill="#d9cfc0"/><rect x="20" y="-140" width="54" height="38" rx="6" fill="#59656d"/><rect x="-300" y="-42" width="590" height="14" fill="#77828a"/><path d="M-310 -10 q0 -18 22 -18 H286 q40 4 52 18 q-12 22 -52 24 H-288 q-22 0 -22 -24Z" fill="#c3ccd1"/>`,
  jet: ({ hull, trim }) =>
    `<path d="M-30 -96 L34 -138 L52 -126 L20 -76Z" fill="#2c343a"/><path d="M-170 -66 Q-60 -104 10 -92 Q90 -92 210 -34 Q120 18 20 18 H-150 Q-190 -10 -170 -66Z" fill="${hull}"/><path d="M-160 -58 Q-70 -92 0 -80 L-30 -54 Q-100 -50 -160 -58Z" fill="#2c343a"/>${stripe(-168, 180, -30, trim)}`,
  small: ({ hull, trim }) =>
    `<path d="M-210 -52 Q0 -30 226 -66 Q204 -6 140 14 H-190 Q-216 -10 -210 -52Z" fill="${hull}"/><path d="M-210 -54 Q0 -32 226 -68" stroke="${trim}" stroke-width="12" fill="none"/><rect x="-90" y="-54" width="34" height="14" fill="#a57c4f"/><rect x="40" y="-56" width="34" height="14" fill="#a57c4f"/><path d="M-262 -96 h46 v76 h-26 v40 h-12Z" fill="#2c343a"/>`,
  house: ({ hull, trim }) =>
    `<rect x="-270" y="-226" width="500" height="20" fill="${trim}"/><rect x="-250" y="-206" width="460" height="130" fill="#f3eee2"/>${windows(-214, -176, 5, 84, 62)}<path d="M-250 -240 H150 v-36 M-170 -240 v-36 M-60 -240 v-36 M50 -240 v-36 M-250 -276 H150" stroke="#8c979e" stroke-width="4" fill="none"/><path d="M-310 -76 H310 L280 18 H-300Z" fill="${hull}"/>`,
};

function windows(x: number, y: number, count: number, wide: number, high: number, gap = 10): string {
  return Array.from(
    { length: count },
    (_, n) => `<rect x="${x + n * (wide + gap)}" y="${y}" width="${wide}" height="${high}" rx="5" fill="#2b4a5c"/>`,
  ).join('');
}

const stripe = (from: number, to: number, y: number, colour: string) =>
  `<path d="M${from} ${y} Q0 ${y + 10} ${to} ${y - 8}" stroke="${colour}" stroke-width="8" fill="none"/>`;

const kindsOfCategories: Record<string, string> = {
  ...Object.fromEntries(
    ['cruising', 'racing', 'daysailers', 'motorsailers', 'sailboats', 'sailing-dinghies'].map((id) => [id, 'sail']),
  ),
  'sailing-catamarans': 'catamaran',
  ...Object.fromEntries(
    ['motor-yachts', 'superyachts', 'trawlers', 'flybridge-boats', 'cabin-cruisers', 'pilothouse-boats'].map((id) => [
      id,
      'yacht',
    ]),
  ),
  'power-catamarans': 'yacht',
  'pontoon-boats': 'pontoon',
  'personal-watercraft': 'jet',
  'jon-boats': 'small',
  'inflatable-boats': 'small',
  tenders: 'small',
  houseboats: 'house',
};

/** An SVG that shows a boat of the category, in the colours of its maker, on a sea of its own. */
export function drawBoat(dice: Dice, category: string, paint: Dice, lengthMetres: number): string {
  const colours = { hull: paint.pick(hulls), trim: paint.pick(trims) };
  const draw = kinds[kindsOfCategories[category] ?? 'speed']!;
  const wanted = Math.min(1.45, Math.max(0.88, 0.72 + lengthMetres / 22)) * dice.between(0.9, 1.1);
  return drawSeascape(dice, (horizon) => {
    const x = Math.round(dice.between(480, 720));
    const y = Math.round(Math.min(820, horizon + dice.between(150, 300)));
    // The mast of a large one stays below the upper edge.
    const scale = Math.min(wanted, (y - 20) / 560);
    const size = scale.toFixed(2);
    const flip = dice.chance(0.4) ? '-' : '';
    const boat = draw(colours, dice);
    return [
      `<g transform="translate(${x} ${y + 6}) scale(${flip}${size} -${(scale * 0.32).toFixed(2)})" opacity=".22">${boat}</g>`,
      `<g transform="translate(${x} ${y}) rotate(${dice.between(-2.5, 2.5).toFixed(1)}) scale(${flip}${size} ${size})">${boat}</g>`,
      `<path d="M${Math.round(x - 330 * scale)} ${y + 20} q80 -16 160 0 t160 0 t160 0 t160 0" fill="none" stroke="#fff" stroke-opacity=".6" stroke-width="7" stroke-linecap="round"/>`,
    ].join('');
  });
}
