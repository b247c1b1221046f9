/** The colour of text on a ground `#rrggbb`: white or black, whichever has more contrast as WCAG 2 measures it. */
export function textColorOn(ground: string): '#ffffff' | '#000000' {
  const [r = 0, g = 0, b = 0] = [1, 3, 5].map((at) => linearize(Number.parseInt(ground.slice(at, at + 2), 16) / 255));
  const luminance = 0.2126 * r + 0.7152 * g + 0.0722 * b;
  return 1.05 / (luminance + 0.05) >= (luminance + 0.05) / 0.05 ? '#ffffff' : '#000000';
}

const linearize = (value: number) => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4);
