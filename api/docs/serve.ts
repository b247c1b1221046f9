import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import express, { Router, type Request, type RequestHandler, type Response } from 'express';
import { MARKDOWN } from '../listings/markdown.ts';
import { renderContract } from '../discovery/documents.ts';
import type { Links } from '../http/links.ts';
import { render } from '../pages/html.ts';
import type { Services } from '../services.ts';
import { composeExplorerDocument } from './explorer-document.ts';
import { renderGuideIndex, renderGuideList, renderGuideMarkdown, renderGuidePage } from './guide-page.ts';
import { readGuides } from './guides.ts';

const require = createRequire(import.meta.url);
const scalar = join(dirname(require.resolve('@scalar/api-reference/style.css')), 'browser');
const own = fileURLToPath(new URL('assets/', import.meta.url));

const HTML = 'text/html; charset=utf-8';
const FRESH = 'public, max-age=300';
const policy =
  "default-src 'none'; style-src 'self'; img-src 'self' data:; frame-ancestors 'none'; base-uri 'none'; form-action 'none'";

/** `/api`, which the API catalog names, leads people to the reference and programs to the contract (RFC 8631). */
export function leadToDocs({ links }: Pick<Services, 'links'>): RequestHandler {
  return (_request, response) => {
    const { base } = links.of(response.locals.proxied === true);
    response.locals.operation = 'docs';
    response.set('Link', `<${base}/api/openapi.json>; rel="service-desc"`).redirect(`${base}/api/docs`);
  };
}

/** Below /api/docs: what the reference page loads, and the guides as pages and as Markdown. Each text is made once for each way in. */
export function serveDocs(services: Services): Router {
  const router = Router({ strict: true, caseSensitive: true });
  const guides = readGuides(services.contract);
  const kept = new Map<string, string>();
  const answer = (type: string, make: (links: Links) => string) => (request: Request, response: Response) => {
    const links = services.links.of(response.locals.proxied === true);
    const key = `${links.base} ${request.path}`;
    const text = kept.get(key) ?? make(links);
    kept.set(key, text);
    response.set({ 'Cache-Control': FRESH, 'Content-Security-Policy': policy, 'Content-Type': type }).send(text);
  };
  router.use((_request, response, next) => {
    response.locals.operation = 'docs';
    next();
  });
  router.use('/assets/scalar', express.static(scalar, { index: false, maxAge: '1d' }));
  router.use('/assets', express.static(own, { index: false, maxAge: '5m' }));
  router.get(
    '/openapi.json',
    answer('application/json; charset=utf-8', (links) =>
      composeExplorerDocument(services.contract, renderContract(services.contract, links), links.base),
    ),
  );
  router.get(
    '/guides',
    answer(HTML, () => render(renderGuideIndex(services, guides))),
  );
  router.get(
    '/guides.md',
    answer(MARKDOWN, (links) => `# Guides\n\n${renderGuideList(guides, links)}`),
  );
  for (const guide of guides) {
    router.get(
      `/guides/${guide.slug}`,
      answer(HTML, (links) => render(renderGuidePage(services, links, guides, guide))),
    );
    router.get(
      `/guides/${guide.slug}.md`,
      answer(MARKDOWN, (links) => renderGuideMarkdown(guide, links)),
    );
  }
  return router;
}
