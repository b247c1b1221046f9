import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import express, { Router } from 'express';
import type { Handler } from '../../handler.ts';

const folder = fileURLToPath(new URL('page', import.meta.url));
const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).toSorted();
const named = (ending: string) => files.filter((name) => name.endsWith(ending));

const sha256 = (content: string | Buffer) => createHash('sha256').update(content).digest('base64');

const installed = (name: string) => readFileSync(fileURLToPath(import.meta.resolve(name)));

/** A file of a package under a path that another release does not have. */
function library(name: string, content: Buffer, ending = 'mjs') {
  const release = Buffer.from(sha256(content), 'base64').toString('hex').slice(0, 12);
  return {
    path: `lib/${name.replace('/', '-')}.${release}.${ending}`,
    content,
    type: ending === 'css' ? 'text/css' : 'text/javascript',
  };
}

/** What the page imports by name, from the packages as they are installed. */
const preloaded = new Map(['preact', 'preact/hooks', 'htm'].map((name) => [name, library(name, installed(name))]));
/** uPlot is minified in its script alone, whose one variable is what a module exports; it is loaded with the first plot. */
const uplot = library(
  'uplot',
  Buffer.concat([installed('uplot/dist/uPlot.iife.min.js'), Buffer.from('\nexport default uPlot;\n')]),
);
const uplotStyle = library('uplot', installed('uplot/dist/uPlot.min.css'), 'css');
/** Loaded with the first code that is shown. */
const qrCode = library('qrcode-generator', installed('qrcode-generator'));
const imported = new Map([...preloaded, ['uplot', uplot], ['qrcode-generator', qrCode]]);
const libraries = [...imported.values(), uplotStyle];

const assets = 'admin/assets';
const importMap = JSON.stringify({
  imports: Object.fromEntries([...imported].map(([name, { path }]) => [name, `./${assets}/${path}`])),
});
const styles = [uplotStyle.path, ...named('.css')].map((path) => `<link rel="stylesheet" href="${assets}/${path}">`);
/** Pages that are seldom opened: their modules are fetched when they are. */
const isLater = (name: string) => /^(?:settings|person)\//.test(name);
const preloads = [
  ...[...preloaded.values()].map(({ path }) => path),
  ...named('.js').filter((name) => !isLater(name)),
].map((path) => `<link rel="modulepreload" href="${assets}/${path}">`);

const page = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover">
<meta name="robots" content="noindex">
<meta name="color-scheme" content="light dark">
<title>Quayside console</title>
<link rel="icon" href="${assets}/icon.svg">
${styles.join('\n')}
<script type="importmap">${importMap}</script>
${preloads.join('\n')}
<script type="module" src="${assets}/main.js"></script>
</head>
<body>
<div id="console"></div>
<noscript>The console needs JavaScript.</noscript>
</body>
</html>
`;

/** Nothing but its own files, the API beside it, and images of listings. */
const policyOf = (imageUrl: string) =>
  [
    "default-src 'none'",
    `script-src 'self' 'sha256-${sha256(importMap)}'`,
    "style-src 'self'",
    `img-src 'self' data: https: ${new URL(imageUrl).origin}`,
    "connect-src 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
    "form-action 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; ');

/** The page of the console. It holds nothing: what it shows it asks of the API, with the session of whoever logs in. */
export const getConsole: Handler<'getConsole'> = (_services, { links }) => ({
  status: 200,
  body: { text: page, type: 'text/html; charset=utf-8' },
  headers: {
    'Content-Security-Policy': policyOf(links.static),
    'Cache-Control': 'no-cache',
    'Referrer-Policy': 'no-referrer',
  },
});

/** The files of the console under /admin: its modules, its style, and the libraries they import. */
export function consoleAssets(): Router {
  const router = Router({ strict: true });
  router.use('/assets', (_request, response, next) => {
    response.locals.operation = 'console_assets';
    next();
  });
  for (const { path, content, type } of libraries) {
    router.get(`/assets/${path}`, (_request, response) => {
      response.set('Cache-Control', 'public, max-age=31536000, immutable').type(type).send(content);
    });
  }
  const own = express.static(folder, { index: false, redirect: false, cacheControl: false });
  router.use('/assets', (request, response, next) => own(request, response.set('Cache-Control', 'no-cache'), next));
  // The addresses in the page are relative to /admin, and would miss from /admin/.
  router.get('/', (request, response, next) => {
    if (request.originalUrl.split('?', 1).join().endsWith('/')) response.redirect(308, '../admin');
    else next();
  });
  return router;
}
