import createQrCode from 'qrcode-generator';
import { html, type Markup } from './html.ts';

/** The light border that readers need around a code, in modules. */
const QUIET = 4;
const MAX_TEXT = 1_000;

/** A QR code (error correction M) as inline SVG: black on white in dark mode too, as readers expect it. */
export function drawQrCode(text: string, label: string): Markup {
  const code = createQrCode(0, 'M');
  code.addData(text.slice(0, MAX_TEXT));
  code.make();
  const count = code.getModuleCount();
  let path = '';
  for (let row = 0; row < count; row += 1)
    for (let column = 0; column < count; column += 1)
      if (code.isDark(row, column)) path += `M${column + QUIET} ${row + QUIET}h1v1h-1z`;
  const size = count + 2 * QUIET;
  return html`<svg class="qr-code" viewBox="0 0 ${size} ${size}" role="img" aria-label="${label}" shape-rendering="crispEdges"><rect width="${size}" height="${size}" fill="#fff"/><path d="${path}" fill="#000"/></svg>`;
}
