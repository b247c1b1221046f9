import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Router } from 'express';
import { textColorOn } from '../../shared/kit/contrast.ts';
import type { Links } from '../http/links.ts';
import { drawOutlines, outlinesVersion } from './map/outlines.ts';

const folder = new URL('assets/', import.meta.url);
const types: Record<string, string> = { css: 'text/css', js: 'text/javascript', svg: 'image/svg+xml' };

const FOR_EVER = 'public, max-age=31536000, immutable';

type Asset = { path: string; type: string; content: string };

const assets = new Map<string, Asset>();
for (const name of readdirSync(fileURLToPath(folder))) addAsset(name, readFileSync(new URL(name, folder), 'utf8'));

/** Adds a file under a path that changes with its content. */
function addAsset(name: string, content: string): void {
  const [, stem = '', ending = ''] = /^(.+)\.(\w+)$/.exec(name) ?? [];
  const hash = createHash('sha256').update(content).digest('hex').slice(0, 12);
  assets.set(name, {
    path: `/assets/${stem}.${hash}.${ending}`,
    type: types[ending] ?? 'application/octet-stream',
    content,
  });
}

/** The address of a file of the pages; it may be kept for ever. */
export function assetUrl({ base }: Pick<Links, 'base'>, name: string): string {
  const asset = assets.get(name);
  if (!asset) throw new Error(`there is no asset ${name}`);
  return base + asset.path;
}

/** The icon as it is drawn. */
export const readIcon = (): string => assets.get('icon.svg')?.content ?? '';

/** The colour of the brand as a style sheet, with the colour of text on it that reads best. */
const addBrand = ({ color }: { color: string }): void =>
  addAsset('brand.css', `:root { --brand: ${color}; --on-brand: ${textColorOn(color)}; }\n`);

/** Serves the files of the pages under /assets, with a style sheet of the brand's colour and the tiles of the built-in map. */
export function pageAssets(brand: { color: string }): Router {
  addBrand(brand);
  const router = Router({ strict: true });
  router.use((_request, response, next) => {
    response.locals.operation = 'page_assets';
    next();
  });
  for (const { path, type, content } of assets.values())
    router.get(path.slice('/assets'.length), (_request, response) => {
      response.set('Cache-Control', FOR_EVER).type(type).send(content);
    });
  router.get(`/outlines.${outlinesVersion}/:zoom/:x/:y.svg`, ({ params: { zoom, x, y } }, response, next) => {
    const isTile = [zoom, x, y].every((each) => /^\d{1,2}$/.test(each));
    const image = isTile ? drawOutlines(Number(zoom), Number(x), Number(y)) : undefined;
    if (image === undefined) return next();
    response.set('Cache-Control', FOR_EVER).type('image/svg+xml').send(image);
  });
  return router;
}
