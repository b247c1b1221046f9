import { urlTo } from '../../shared/kit/site-links.ts';
import { assetUrl } from '../pages/assets.ts';
import { html, raw, type Child, type Markup } from '../pages/html.ts';
import type { Services } from '../services.ts';

/** Where the reader is: what the bar above every page of the documentation marks. */
export type DocsPlace = 'reference' | 'guides' | 'events' | 'changelog';

const places: [DocsPlace, path: string, label: string][] = [
  ['guides', 'guides', 'Guides'],
  ['reference', '../docs', 'Reference'],
  ['events', 'guides/events', 'Events'],
  ['changelog', 'guides/changelog', 'Changelog'],
];

/** The ways from a page to /api/docs and to the root of the service, relative, so that they hold behind any prefix. */
export const ways = {
  reference: { docs: 'docs', root: '..' },
  index: { docs: '.', root: '../..' },
  guide: { docs: '..', root: '../../..' },
} as const;
export type Ways = (typeof ways)[keyof typeof ways];

/** A page of the documentation: the bar, and what stands below it. */
export function renderDocsPage(
  { config: { brand, site } }: Pick<Services, 'config'>,
  { docs, root }: Ways,
  page: { place: DocsPlace; title: string; description: string; head?: Child; body: Markup },
): Markup {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${page.title} · ${brand.name}</title>
<meta name="description" content="${page.description}">
<meta name="color-scheme" content="light dark">
${page.head}
<link rel="stylesheet" href="${docs}/assets/docs.css">
<link rel="icon" href="${assetPath(root, 'icon.svg')}" type="image/svg+xml">
</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
<nav class="docs-bar" aria-label="Documentation">
<a class="docs-brand" href="${site.isOwn ? `${root}/` : urlTo(site, 'home', {})}">${brand.name}</a>
${places.map(
  ([place, path, label]) =>
    html`<a href="${docs}/${path}"${place === page.place && raw(' aria-current="page"')}>${label}</a>
`,
)}</nav>
${page.body}
</body>
</html>
`;
}

/** The way to a file of the pages for people. */
export const assetPath = (root: string, name: string): string => assetUrl({ base: root }, name);
