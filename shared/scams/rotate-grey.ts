import type { GreyImage } from '../adapters/image-windows.ts';

/** The grey value between four pixels, bilinear; beyond the border that of the border. */
export function sampleGrey({ data, width, height }: GreyImage, x: number, y: number): number {
  const left = clamp(x, width - 1);
  const top = clamp(y, height - 1);
  const x0 = Math.floor(left);
  const y0 = Math.floor(top);
  const upper = y0 * width;
  const lower = y0 + 1 < height ? upper + width : upper;
  const x1 = x0 + 1 < width ? x0 + 1 : x0;
  const dx = left - x0;
  const above = data[upper + x0]! * (1 - dx) + data[upper + x1]! * dx;
  const below = data[lower + x0]! * (1 - dx) + data[lower + x1]! * dx;
  return above + (below - above) * (top - y0);
}

/** Turns an image about its middle, clockwise, in a frame of the same size. */
export function rotateGrey(image: GreyImage, degrees: number): GreyImage {
  if (degrees === 0) return image;
  const { width, height } = image;
  const angle = (degrees * Math.PI) / 180;
  const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
  const [middleX, middleY] = [(width - 1) / 2, (height - 1) / 2];
  const data = new Uint8Array(width * height);
  for (let y = 0; y < height; y += 1)
    for (let x = 0; x < width; x += 1) {
      const [dx, dy] = [x - middleX, y - middleY];
      data[y * width + x] = Math.round(sampleGrey(image, middleX + dx * cos + dy * sin, middleY - dx * sin + dy * cos));
    }
  return { data, width, height };
}

const clamp = (value: number, most: number) => Math.min(most, Math.max(0, value));
