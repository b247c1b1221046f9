import { useEffect, useState } from 'preact/hooks';
import { html } from './html.js';

/** The light border that readers need around a code, in modules. */
const quiet = 4;

/** The outline of a QR code (error correction M), and its size in modules with the border. */
async function draw(text) {
  const { default: createQrCode } = await import('qrcode-generator');
  const code = createQrCode(0, 'M');
  code.addData(text);
  code.make();
  const count = code.getModuleCount();
  const cells = Array.from({ length: count * count }, (_, index) => [Math.floor(index / count), index % count]);
  const path = cells
    .filter(([row, column]) => code.isDark(row, column))
    .map(([row, column]) => `M${column + quiet} ${row + quiet}h1v1h-1z`)
    .join('');
  return { path, size: count + 2 * quiet };
}

/** A text as a QR code: black on white in dark mode too, as readers expect it. */
export function QrCode({ text, label }) {
  const [code, setCode] = useState(undefined);
  useEffect(() => {
    let isWanted = true;
    void draw(text).then((drawn) => isWanted && setCode(drawn));
    return () => void (isWanted = false);
  }, [text]);
  if (!code) return null;
  const { path, size } = code;
  return html`<svg class="qr-code" viewBox="0 0 ${size} ${size}" role="img" aria-label=${label} shape-rendering="crispEdges">
    <rect width=${size} height=${size} fill="#fff" /><path d=${path} fill="#000" />
  </svg>`;
}
