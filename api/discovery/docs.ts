import { ways, renderDocsPage } from '../docs/layout.ts';
import { html, render } from '../pages/html.ts';
import type { Handler } from '../handler.ts';

// The library writes its styles into the page itself; everything else comes from here.
const policy =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self'; connect-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'";

/** The interactive reference: Scalar over this service's own document, with every file served from here. */
export const getDocs: Handler<'getDocs'> = (services) => {
  const page = renderDocsPage(services, ways.reference, {
    place: 'reference',
    title: 'API reference',
    description: 'Every operation of this marketplace, with samples, to be tried with a key of your own.',
    head: html`<link rel="stylesheet" href="docs/assets/reference.css">
<link rel="modulepreload" href="docs/assets/scalar/standalone.esm.js">
<script type="module" src="docs/assets/reference.js"></script>`,
    body: html`<div id="content"><div id="reference"><p class="docs-wait">The reference is loading. Without script there is <a
href="reference.md">the same as Markdown</a>, and <a href="openapi.json">the contract</a>.</p></div></div>`,
  });
  return {
    status: 200,
    body: { text: render(page), type: 'text/html; charset=utf-8' },
    headers: { 'Content-Security-Policy': policy, 'Cache-Control': 'public, max-age=300' },
  };
};
