import type { Dice } from './dice.ts';

export const WIDTH = 1_200;
export const HEIGHT = 900;

type Light = { sky: [string, string]; sea: [string, string]; coast: [string, string]; sun: string; cloud: string };

const lights: readonly Light[] = [
  {
    sky: ['#7cc0ee', '#e8f5fb'],
    sea: ['#2f86b5', '#155e86'],
    coast: ['#9dbf9f', '#6c9b7d'],
    sun: '#fff6d8',
    cloud: '#ffffff',
  },
  {
    sky: ['#f6a76b', '#fde6c4'],
    sea: ['#c77a68', '#5b4b78'],
    coast: ['#8d6580', '#5d4569'],
    sun: '#fff0c2',
    cloud: '#ffe3cf',
  },
  {
    sky: ['#34508f', '#f2a58d'],
    sea: ['#50619b', '#1d2c59'],
    coast: ['#42507f', '#2b3763'],
    sun: '#ffd9a8',
    cloud: '#c9a3b4',
  },
  {
    sky: ['#b9c9d3', '#eef3f5'],
    sea: ['#6f8f9d', '#41616f'],
    coast: ['#a3b4b2', '#7b918f'],
    sun: '#ffffff',
    cloud: '#f7fafb',
  },
  {
    sky: ['#5fc2d8', '#e3f7f2'],
    sea: ['#2bb3b1', '#0d7484'],
    coast: ['#c9c78d', '#86a86c'],
    sun: '#fffbe0',
    cloud: '#ffffff',
  },
  {
    sky: ['#9fd0f5', '#fef3dc'],
    sea: ['#4a93c4', '#25618f'],
    coast: ['#b7a58a', '#8a7a66'],
    sun: '#fff3c4',
    cloud: '#fffaf0',
  },
];

const round = (value: number) => Math.round(value);

/** An SVG of a boat before sea, coast and sky. */
export function drawSeascape(dice: Dice, subject: (horizon: number) => string): string {
  const light = dice.pick(lights);
  const horizon = round(dice.between(330, 500));
  const gradient = (id: string, [from, to]: [string, string]) =>
    `<linearGradient id="${id}" x1="0" y1="0" x2="${dice.between(-0.3, 0.3).toFixed(2)}" y2="1"><stop offset="0" stop-color="${from}"/><stop offset="1" stop-color="${to}"/></linearGradient>`;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="960" height="720" viewBox="0 0 ${WIDTH} ${HEIGHT}">`,
    `<defs>${gradient('sky', light.sky)}${gradient('sea', light.sea)}</defs>`,
    `<rect width="${WIDTH}" height="${horizon + 2}" fill="url(#sky)"/>`,
    drawSun(dice, light, horizon),
    drawClouds(dice, light, horizon),
    drawCoast(dice, light.coast[0], horizon, 150),
    drawCoast(dice, light.coast[1], horizon, 80),
    dice.chance(0.45) ? drawLandmark(dice, light, horizon) : '',
    `<rect y="${horizon}" width="${WIDTH}" height="${HEIGHT - horizon}" fill="url(#sea)"/>`,
    drawWaves(dice, horizon),
    subject(horizon),
    '</svg>',
  ].join('');
}

function drawSun(dice: Dice, { sun }: Light, horizon: number): string {
  const [x, y] = [round(dice.between(80, 1_120)), round(dice.between(60, horizon - 60))];
  const size = round(dice.between(34, 66));
  return `<circle cx="${x}" cy="${y}" r="${size * 2}" fill="${sun}" opacity=".25"/><circle cx="${x}" cy="${y}" r="${size}" fill="${sun}"/>`;
}

function drawClouds(dice: Dice, { cloud }: Light, horizon: number): string {
  return Array.from({ length: dice.whole(2, 5) }, () => {
    const [x, y] = [dice.between(0, WIDTH), dice.between(40, horizon * 0.6)];
    const size = dice.between(0.7, 1.7);
    const puffs = Array.from({ length: dice.whole(3, 5) }, (_, n) => {
      const [left, high] = [x + (n - 1.5) * 52 * size, y - dice.between(0, 22) * size];
      return `<ellipse cx="${round(left)}" cy="${round(high)}" rx="${round(60 * size)}" ry="${round(24 * size)}"/>`;
    });
    return `<g fill="${cloud}" opacity="${dice.between(0.5, 0.9).toFixed(2)}">${puffs.join('')}</g>`;
  }).join('');
}

function drawCoast(dice: Dice, colour: string, horizon: number, high: number): string {
  const from = dice.chance(0.5) ? dice.between(-200, 500) : -50;
  const to = from < 0 ? dice.between(600, 1_400) : 1_300;
  const steps = dice.whole(4, 7);
  const points = Array.from({ length: steps }, (_, n) => {
    const x = from + ((to - from) * (n + 1)) / (steps + 1);
    return `${round(x)} ${round(horizon - dice.between(0.2, 1) * high)}`;
  });
  const curve = points.map((point, n) => (n === 0 ? `Q${point}` : `T${point}`)).join(' ');
  return `<path d="M${round(from)} ${horizon} ${curve.replace(/^Q(\S+ \S+)/, `Q$1 $1`)} L${round(to)} ${horizon}Z" fill="${colour}"/>`;
}

/** A lighthouse, some pines or the houses of a harbour. */
function drawLandmark(dice: Dice, { coast }: Light, horizon: number): string {
  const x = round(dice.between(120, 1_060));
  const kind = dice.whole(0, 2);
  if (kind === 0)
    return `<g transform="translate(${x} ${horizon})"><path d="M-14 0 L-9 -118 H9 L14 0Z" fill="#f4efe6"/><path d="M-12 -38 L-11 -66 H11 L12 -38Z M-10 -92 L-9 -118 H9 L10 -92Z" fill="#c8443c"/><rect x="-11" y="-136" width="22" height="18" fill="#42505c"/><path d="M-14 -136 L0 -154 L14 -136Z" fill="#c8443c"/></g>`;
  if (kind === 1)
    return Array.from({ length: dice.whole(4, 9) }, (_, n) => {
      const [left, high] = [x + n * 30 - 90, dice.between(44, 92)];
      return `<path d="M${round(left)} ${horizon} l-16 0 l16 ${round(-high)} l16 ${round(high)}Z" fill="${coast[1]}" stroke="#00000018"/>`;
    }).join('');
  return Array.from({ length: dice.whole(4, 7) }, (_, n) => {
    const [left, high] = [x + n * 46 - 120, round(dice.between(34, 66))];
    const wall = dice.pick(['#e9d8b8', '#d99a7c', '#f2efe8', '#b9c8c4', '#e6bd8a']);
    return `<path d="M${left} ${horizon} v${-high} h42 v${high}Z" fill="${wall}"/><path d="M${left - 4} ${horizon - high} l25 -22 l25 22Z" fill="#9c5443"/>`;
  }).join('');
}

function drawWaves(dice: Dice, horizon: number): string {
  return Array.from({ length: 26 }, () => {
    const y = dice.between(horizon + 8, HEIGHT - 10);
    const near = (y - horizon) / (HEIGHT - horizon);
    const long = 30 + near * dice.between(60, 190);
    const x = dice.between(-40, WIDTH);
    return `<path d="M${round(x)} ${round(y)} q${round(long / 4)} ${round(-4 - near * 8)} ${round(long / 2)} 0 t${round(long / 2)} 0" fill="none" stroke="#fff" stroke-opacity="${(0.12 + near * 0.2).toFixed(2)}" stroke-width="${(1.5 + near * 3).toFixed(1)}" stroke-linecap="round"/>`;
  }).join('');
}
