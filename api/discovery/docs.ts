import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import express, { Router } from 'express';
import type { Handler } from '../handler.ts';

const require = createRequire(import.meta.url);
const swaggerUi = dirname(require.resolve('swagger-ui-dist/package.json'));
const policy =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self'; connect-src 'self'; frame-ancestors 'none'; base-uri 'none'";

const page = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Quayside API</title>
<link rel="stylesheet" href="docs/assets/swagger-ui.css">
<link rel="icon" href="docs/assets/favicon-32x32.png">
</head>
<body>
<div id="swagger-ui"></div>
<script src="docs/assets/swagger-ui-bundle.js"></script>
<script src="docs/assets/start.js"></script>
</body>
</html>
`;

const start = `window.ui = SwaggerUIBundle({
  url: new URL('openapi.json', document.baseURI).href,
  dom_id: '#swagger-ui',
  deepLinking: true,
  displayRequestDuration: true,
  docExpansion: 'list',
  filter: true,
  persistAuthorization: false,
});
`;

/** The interactive documentation: Swagger UI over this service's own document, with every file served from here. */
export const getDocs: Handler<'getDocs'> = () => ({
  status: 200,
  body: { text: page, type: 'text/html; charset=utf-8' },
  headers: { 'Content-Security-Policy': policy, 'Cache-Control': 'public, max-age=300' },
});

/** The scripts and styles of the documentation page. */
export function docsAssets(): Router {
  const router = Router();
  router.get('/assets/start.js', (_request, response) => {
    response.type('text/javascript').send(start);
  });
  router.use('/assets', express.static(swaggerUi, { index: false, immutable: true, maxAge: '1d', fallthrough: true }));
  return router;
}
