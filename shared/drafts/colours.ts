import { fromPixels, toPixels, type Pixels } from '../adapters/images-read.ts';

const SIDE = 32;
/** A colour that covers less is not worth a word. */
const MIN_SHARE = 0.15;
const MAX_COLOURS = 2;

/** Where the names of hues end, in degrees. */
const hues = [
  [15, 'red'],
  [40, 'orange'],
  [68, 'yellow'],
  [165, 'green'],
  [195, 'turquoise'],
  [255, 'blue'],
  [290, 'purple'],
  [345, 'pink'],
  [360, 'red'],
] as const;

/** The names of the colours that most of an image has, the most frequent first. */
export async function nameColours(pixels: Pixels): Promise<string[]> {
  const small = await toPixels(
    fromPixels(pixels)
      .flatten({ background: '#fff' })
      .toColourspace('srgb')
      .resize({ width: SIDE, height: SIDE, fit: 'fill' }),
  );
  const counts = new Map<string, number>();
  for (let at = 0; at < small.data.length; at += small.channels) {
    const red = small.data[at] ?? 0;
    // One or two channels are grey.
    const [green = red, blue = red] = small.channels < 3 ? [] : [small.data[at + 1], small.data[at + 2]];
    const name = nameOf(red / 255, green / 255, blue / 255);
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return [...counts]
    .filter(([, count]) => count >= MIN_SHARE * SIDE * SIDE)
    .sort(([, a], [, b]) => b - a)
    .slice(0, MAX_COLOURS)
    .map(([name]) => name);
}

function nameOf(red: number, green: number, blue: number): string {
  const max = Math.max(red, green, blue);
  const range = max - Math.min(red, green, blue);
  const lightness = max - range / 2;
  if (lightness < 0.12) return 'black';
  if (range < 0.1 + 0.1 * (1 - lightness)) return lightness > 0.85 ? 'white' : 'grey';
  const sixth =
    max === red
      ? ((green - blue) / range + 6) % 6
      : max === green
        ? (blue - red) / range + 2
        : (red - green) / range + 4;
  const hue = sixth * 60;
  if (hue < 45 && lightness < 0.4) return 'brown';
  return hues.find(([end]) => hue <= end)?.[1] ?? 'red';
}
