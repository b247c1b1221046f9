import type { Dice } from './dice.ts';
import { HEIGHT, WIDTH } from './scenery.ts';

const colours: Record<string, string> = {
  black: '#2b2f33',
  white: '#f3f3ef',
  silver: '#bfc6cb',
  gray: '#868e95',
  grey: '#868e95',
  blue: '#2f6fb0',
  red: '#b93a32',
  green: '#3c7d55',
  brown: '#7d5636',
  beige: '#d8c6a5',
  gold: '#c9a24b',
  pink: '#e39aae',
  purple: '#6d4f95',
  yellow: '#e0b83c',
  orange: '#d97a34',
  tan: '#c3a27c',
};
const anyColour = ['#3d6f8e', '#a4473e', '#4c7a5c', '#c59a4a', '#5c5470', '#39424a', '#b8b2a6', '#7d5636'] as const;
const walls = ['#e7ece8', '#e8e1d6', '#d9e4ea', '#efe3df', '#dfe3d4', '#e6e2ee'] as const;
const floors = ['#b98f65', '#a0826a', '#8f8b84', '#c7a983', '#7f6a58'] as const;
const grounds = ['#84898c', '#9a9284', '#7d8a86', '#a39d92'] as const;

/** Each thing stands on the floor in the middle: up is negative, and about 700 units fit. */
const things: Record<string, (colour: string, dice: Dice) => string> = {
  car: (colour, dice) => {
    const roof = dice.pick([
      'M-210 -150 L-130 -246 H70 L180 -150Z',
      'M-250 -150 L-220 -250 H90 L190 -150Z',
      'M-60 -150 L-30 -240 H90 L180 -150Z',
      'M-190 -150 Q-110 -250 0 -250 Q120 -246 210 -150Z',
    ]);
    return `<path d="${roof}" fill="${colour}"/><path d="${roof}" transform="translate(0 -26) scale(.84)" fill="#a9c4d1"/><path d="M-10 -240 V-150" stroke="${colour}" stroke-width="14"/><path d="M-330 -60 Q-334 -140 -260 -152 H230 Q330 -140 340 -60Z" fill="${colour}"/><path d="M-330 -96 H336" stroke="#0002" stroke-width="5"/><path d="M296 -120 l34 10 v16 h-34Z" fill="#f7e9b0"/><path d="M-326 -122 h26 v24 h-28Z" fill="#c3483e"/>${wheel(-200, -52, 56)}${wheel(200, -52, 56)}`;
  },
  bicycle: (colour, dice) => {
    const bar = dice.chance(0.5) ? 'M196 -330 h52 q26 10 10 36' : 'M150 -340 h90';
    return `${ring(-210, -130, 124)}${ring(210, -130, 124)}<path d="M-210 -130 L-110 -300 H150 L-30 -120 L-110 -300 M-210 -130 H-30 M150 -300 L210 -130" fill="none" stroke="${colour}" stroke-width="17" stroke-linejoin="round" stroke-linecap="round"/><path d="M150 -300 L140 -340 M-110 -300 L-122 -346" stroke="#555d63" stroke-width="12"/><path d="${bar}" stroke="#2c3236" stroke-width="14" fill="none" stroke-linecap="round"/><path d="M-176 -352 h104" stroke="#2c3236" stroke-width="22" stroke-linecap="round"/><circle cx="-30" cy="-120" r="30" fill="#3b4349"/><path d="M-30 -120 l46 40 h30" stroke="#3b4349" stroke-width="11" fill="none"/>`;
  },
  phone: (colour, dice) => {
    const screen = dice.pick(['#2f6fb0', '#4a3d6b', '#1f6f6a', '#b85c44', '#324a66']);
    const icons = Array.from(
      { length: 16 },
      (_, n) =>
        `<rect x="${-98 + (n % 4) * 54}" y="${-470 + Math.floor(n / 4) * 64}" width="36" height="36" rx="9" fill="${dice.pick(['#fff', '#f6d06f', '#8fd1c6', '#f2a08c', '#b9cdf2'])}" opacity=".9"/>`,
    );
    return `<g transform="rotate(${dice.between(-9, 9).toFixed(1)})"><rect x="-136" y="-560" width="272" height="540" rx="38" fill="${colour}"/><rect x="-120" y="-520" width="240" height="450" rx="8" fill="${screen}"/>${icons.join('')}<circle cx="0" cy="-45" r="17" fill="none" stroke="#fff8" stroke-width="4"/></g>`;
  },
  sofa: (colour) =>
    `<rect x="-300" y="-290" width="600" height="190" rx="36" fill="${colour}"/><path d="M0 -270 V-110" stroke="#0002" stroke-width="6"/><rect x="-260" y="-170" width="520" height="100" rx="22" fill="${colour}"/><rect x="-260" y="-170" width="520" height="100" rx="22" fill="#fff2"/><rect x="-350" y="-220" width="100" height="180" rx="36" fill="${colour}"/><rect x="250" y="-220" width="100" height="180" rx="36" fill="${colour}"/><path d="M-300 -40 v36 M300 -40 v36" stroke="#5b4331" stroke-width="18"/><rect x="-210" y="-250" width="110" height="96" rx="18" fill="#fff6" transform="rotate(-10 -150 -200)"/>`,
  table: (colour, dice) =>
    `${chair(-290, colour)}${chair(230, colour, -1)}<rect x="-240" y="-232" width="480" height="28" rx="8" fill="${dice.pick(['#8a5f3c', '#a97c50', '#6b4a30', '#c8a272'])}"/><path d="M-200 -206 L-216 0 M200 -206 L216 0" stroke="#5b4331" stroke-width="22"/><path d="M-36 -232 q36 -14 72 0Z M-20 -238 q-30 -60 0 -80 M10 -238 q34 -50 10 -96" fill="#f1ede2" stroke="#4c7a5c" stroke-width="7"/>`,
  bed: (colour) =>
    `<rect x="-340" y="-330" width="70" height="330" rx="14" fill="#7d5636"/><rect x="-300" y="-170" width="630" height="110" rx="22" fill="#f3efe6"/><path d="M-120 -186 H310 q26 0 26 30 v90 H-120Z" fill="${colour}"/><rect x="-268" y="-226" width="140" height="64" rx="26" fill="#ffffff"/><path d="M-300 -60 h630 v60 M-300 -60 v60" stroke="#7d5636" stroke-width="24" fill="none"/>`,
  cabinet: (colour, dice) => {
    const rows = dice.whole(3, 5);
    const high = 420 / rows;
    const drawers = Array.from(
      { length: rows },
      (_, n) =>
        `<rect x="-196" y="${Math.round(-440 + n * high + 8)}" width="392" height="${Math.round(high - 14)}" rx="6" fill="#fff2" stroke="#0003" stroke-width="4"/><path d="M-34 ${Math.round(-440 + (n + 0.5) * high)} h68" stroke="#e3d6b8" stroke-width="9" stroke-linecap="round"/>`,
    );
    return `<rect x="-230" y="-470" width="460" height="24" rx="6" fill="#5b4331"/><rect x="-214" y="-448" width="428" height="430" fill="${colour}"/>${drawers.join('')}<path d="M-190 -20 v20 M190 -20 v20" stroke="#5b4331" stroke-width="24"/>`;
  },
  desk: (colour) =>
    `<rect x="-310" y="-262" width="620" height="28" rx="6" fill="#a97c50"/><path d="M-280 -236 V0" stroke="#5b4331" stroke-width="22"/><rect x="90" y="-236" width="200" height="230" fill="${colour}"/><path d="M100 -160 h180 M100 -84 h180" stroke="#0003" stroke-width="5"/><path d="M-140 -262 v-20 h90 v20 M-190 -420 h190 v130 h-190Z" fill="#39424a"/><path d="M200 -262 q-10 -110 -70 -130" stroke="#2c3236" stroke-width="10" fill="none"/><path d="M96 -410 l64 -14 l-6 60Z" fill="${colour}"/>`,
  speaker: (colour) =>
    `<g>${['-250', '50'].map((x) => `<rect x="${x}" y="-430" width="200" height="430" rx="14" fill="${colour}"/><circle cx="${Number(x) + 100}" cy="-130" r="76" fill="#22272b"/><circle cx="${Number(x) + 100}" cy="-130" r="34" fill="#59626a"/><circle cx="${Number(x) + 100}" cy="-320" r="42" fill="#22272b"/><circle cx="${Number(x) + 100}" cy="-320" r="15" fill="#59626a"/>`).join('')}</g>`,
  screen: (colour, dice) =>
    `<rect x="-340" y="-450" width="680" height="390" rx="14" fill="#22272b"/><rect x="-324" y="-434" width="648" height="350" fill="${dice.pick(['#2f6fb0', '#1f6f6a', '#5c4a7d', '#c0714c'])}"/><path d="M-324 -84 L-120 -250 L20 -150 L130 -230 L324 -84Z" fill="#0003"/><circle cx="190" cy="-350" r="40" fill="#fff8"/><path d="M-90 -60 h180 l26 56 h-232Z" fill="${colour}"/>`,
  laptop: (colour, dice) =>
    `<rect x="-250" y="-380" width="500" height="320" rx="16" fill="${colour}"/><rect x="-230" y="-360" width="460" height="280" fill="${dice.pick(['#2f6fb0', '#3a4a57', '#1f6f6a'])}"/><path d="M-190 -310 h200 M-190 -270 h300 M-190 -230 h250 M-190 -190 h140" stroke="#fff9" stroke-width="12"/><path d="M-320 -60 H320 L300 -20 H-300Z" fill="#aeb6bb"/>`,
  camera: (colour) =>
    `<rect x="-250" y="-310" width="500" height="300" rx="30" fill="${colour}"/><path d="M-90 -310 l30 -60 h120 l30 60Z" fill="${colour}"/><circle cx="20" cy="-160" r="116" fill="#22272b"/><circle cx="20" cy="-160" r="72" fill="#3d5a70"/><circle cx="-6" cy="-190" r="20" fill="#fff8"/><rect x="-220" y="-280" width="80" height="36" rx="8" fill="#fff6"/>`,
  watch: (colour) =>
    `<path d="M-60 -560 h120 l16 180 h-152Z M-76 -190 h152 l-16 180 h-120Z" fill="${colour}"/><rect x="-120" y="-390" width="240" height="210" rx="54" fill="#39424a"/><rect x="-98" y="-368" width="196" height="166" rx="38" fill="#0f171c"/><path d="M0 -330 V-285 L36 -262" stroke="#8fd1c6" stroke-width="12" fill="none" stroke-linecap="round"/>`,
  box: (colour) =>
    `<path d="M-230 -270 L0 -330 L230 -270 L0 -206Z" fill="#d9b98b"/><path d="M-230 -270 V-40 L0 24 V-206Z" fill="#c49f6c"/><path d="M230 -270 V-40 L0 24 V-206Z" fill="#ad8855"/><path d="M-60 -315 L172 -254 v60 l-30 -8 v-44 L-96 -306Z" fill="${colour}"/>`,
};

const wheel = (x: number, y: number, size: number) =>
  `<circle cx="${x}" cy="${y}" r="${size}" fill="#23282c"/><circle cx="${x}" cy="${y}" r="${Math.round(size * 0.55)}" fill="#c3cad0"/><circle cx="${x}" cy="${y}" r="10" fill="#555d63"/>`;

const ring = (x: number, y: number, size: number) =>
  `<circle cx="${x}" cy="${y}" r="${size}" fill="none" stroke="#2c3236" stroke-width="13"/><path d="M${x - size} ${y} h${size * 2} M${x} ${y - size} v${size * 2} M${x - size * 0.7} ${y - size * 0.7} l${size * 1.4} ${size * 1.4} M${x - size * 0.7} ${y + size * 0.7} l${size * 1.4} ${-size * 1.4}" stroke="#8b949a" stroke-width="2.5"/>`;

const chair = (x: number, colour: string, side = 1) =>
  `<g transform="translate(${x} 0) scale(${side} 1)"><path d="M0 -330 V0 M0 -140 h96 V0" stroke="#5b4331" stroke-width="16" fill="none"/><rect x="-10" y="-330" width="26" height="150" rx="8" fill="${colour}"/><rect x="-6" y="-158" width="112" height="26" rx="8" fill="${colour}"/></g>`;

const thingsOfCategories: Record<string, string> = {
  cars: 'car',
  bicycles: 'bicycle',
  phones: 'phone',
  'sofas-armchairs': 'sofa',
  'tables-chairs': 'table',
  'beds-mattresses': 'bed',
  'storage-wardrobes': 'cabinet',
  'desks-office-furniture': 'desk',
  audio: 'speaker',
  'tvs-video': 'screen',
  tablets: 'phone',
  laptops: 'laptop',
  cameras: 'camera',
  wearables: 'watch',
};

/** An SVG that shows a thing of the category, in the colour that its text names, in a room or on a street. */
export function drawGoods(dice: Dice, category: string, colour: string | undefined): string {
  const paint = colours[colour ?? ''] ?? dice.pick(anyColour);
  const kind = thingsOfCategories[category] ?? 'box';
  const isOutside = kind === 'car' || kind === 'bicycle';
  const floor = Math.round(dice.between(600, 700));
  const scale = dice.between(0.95, 1.25).toFixed(2);
  const x = Math.round(dice.between(500, 700));
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="960" height="720" viewBox="0 0 ${WIDTH} ${HEIGHT}">`,
    isOutside ? drawStreet(dice, floor) : drawRoom(dice, floor),
    `<ellipse cx="${x}" cy="${floor + 96}" rx="380" ry="26" fill="#0003"/>`,
    `<g transform="translate(${x} ${floor + 96}) scale(${dice.chance(0.4) && kind !== 'phone' ? '-' : ''}${scale} ${scale})">${things[kind]!(paint, dice)}</g>`,
    '</svg>',
  ].join('');
}

function drawStreet(dice: Dice, floor: number): string {
  const sky = dice.pick(['#bfe0f2', '#f6dfc3', '#d5dee4', '#c9e8e4']);
  let x = -40;
  const houses: string[] = [];
  while (x < WIDTH) {
    const [wide, high] = [dice.whole(110, 230), dice.whole(200, 470)];
    houses.push(
      `<rect x="${x}" y="${floor - high}" width="${wide}" height="${high}" fill="${dice.pick(['#d7b59a', '#c9cfd2', '#b9a58f', '#e3d6bf', '#a8b8b4', '#cf9d85'])}"/>`,
      ...Array.from(
        { length: Math.floor(high / 90) },
        (_, row) =>
          `<path d="M${x + 22} ${floor - high + 34 + row * 84} h${wide - 44}" stroke="#5f7482" stroke-opacity=".55" stroke-width="36" stroke-dasharray="30 22"/>`,
      ),
    );
    x += wide + dice.whole(0, 24);
  }
  const trees = Array.from({ length: dice.whole(0, 3) }, () => {
    const left = dice.whole(60, 1_140);
    return `<path d="M${left} ${floor} v-110" stroke="#6b4a30" stroke-width="16"/><circle cx="${left}" cy="${floor - 160}" r="${dice.whole(56, 90)}" fill="${dice.pick(['#5f8f5b', '#7ba05c', '#b98a3e'])}"/>`;
  });
  return `<rect width="${WIDTH}" height="${HEIGHT}" fill="${sky}"/>${houses.join('')}${trees.join('')}<rect y="${floor}" width="${WIDTH}" height="${HEIGHT - floor}" fill="${dice.pick(grounds)}"/><rect y="${floor}" width="${WIDTH}" height="22" fill="#c9c6be"/>`;
}

function drawRoom(dice: Dice, floor: number): string {
  const left = dice.whole(40, 900);
  const kind = dice.whole(0, 2);
  const extra = [
    `<rect x="${left}" y="90" width="240" height="270" fill="#bfe0f2" stroke="#fff" stroke-width="18"/><path d="M${left + 120} 90 v270 M${left} 225 h240" stroke="#fff" stroke-width="12"/>`,
    `<rect x="${left}" y="110" width="200" height="150" fill="#fff" stroke="#6b4a30" stroke-width="14"/><circle cx="${left + 70}" cy="190" r="34" fill="${dice.pick(anyColour)}"/><path d="M${left + 14} 250 l70 -60 l40 30 l60 -70 v100Z" fill="${dice.pick(anyColour)}"/>`,
    `<path d="M${left + 60} ${floor} l-24 -110 h130 l-24 110Z" fill="#b9694a"/><path d="M${left + 100} ${floor - 110} q-110 -120 -60 -230 M${left + 100} ${floor - 110} q10 -190 20 -260 M${left + 100} ${floor - 110} q120 -90 90 -220" stroke="#4c7a5c" stroke-width="26" fill="none" stroke-linecap="round"/>`,
  ][kind]!;
  return `<rect width="${WIDTH}" height="${HEIGHT}" fill="${dice.pick(walls)}"/>${extra}<rect y="${floor}" width="${WIDTH}" height="${HEIGHT - floor}" fill="${dice.pick(floors)}"/><rect y="${floor - 18}" width="${WIDTH}" height="18" fill="#fff" opacity=".7"/><ellipse cx="600" cy="${floor + 110}" rx="520" ry="60" fill="${dice.pick(anyColour)}" opacity=".25"/>`;
}
