import { Router } from 'express';
import { readIcon } from './assets.ts';

/** Widths of the icons that telephones keep. */
export const ICON_SIZES = [192, 512];
const FAVICON_SIZE = 32;
const CACHE = 'public, max-age=86400';

/** The icon of the pages for programs that take no SVG: /favicon.ico, and PNG files under /icons; drawn once, when first asked for. */
export function serveIcons(): Router {
  const router = Router({ strict: true, caseSensitive: true });
  const drawn = new Map<number, Promise<Buffer>>();
  const draw = (size: number): Promise<Buffer> => {
    const known = drawn.get(size) ?? drawIcon(size);
    drawn.set(size, known);
    return known;
  };
  router.use(['/favicon.ico', '/icons'], (_request, response, next) => {
    response.locals.operation = 'page_assets';
    next();
  });
  router.get('/favicon.ico', async (_request, response) => {
    response
      .set('Cache-Control', CACHE)
      .type('image/x-icon')
      .send(toIco(await draw(FAVICON_SIZE)));
  });
  for (const size of ICON_SIZES)
    router.get(`/icons/${size}.png`, async (_request, response) => {
      response
        .set('Cache-Control', CACHE)
        .type('image/png')
        .send(await draw(size));
    });
  return router;
}

async function drawIcon(size: number): Promise<Buffer> {
  const { default: sharp } = await import('sharp');
  return sharp(Buffer.from(readIcon()), { density: (72 * size) / 32 })
    .resize(size, size)
    .png()
    .toBuffer();
}

/** An ICO file of one image, which may be a PNG file as it is: ICONDIR, and one ICONDIRENTRY of 16 bytes. */
function toIco(png: Buffer): Buffer {
  const head = Buffer.alloc(22);
  head.writeUInt16LE(1, 2);
  head.writeUInt16LE(1, 4);
  head.writeUInt8(FAVICON_SIZE, 6);
  head.writeUInt8(FAVICON_SIZE, 7);
  head.writeUInt16LE(1, 10);
  head.writeUInt16LE(32, 12);
  head.writeUInt32LE(png.length, 14);
  head.writeUInt32LE(head.length, 18);
  return Buffer.concat([head, png]);
}
