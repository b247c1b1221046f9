import { Marked } from 'marked';
import type { Links } from '../http/links.ts';
import { WRITTEN_FOR } from '../discovery/documents.ts';
import { html, raw, type Markup } from '../pages/html.ts';
import type { Services } from '../services.ts';
import type { Guide } from './guides.ts';
import { assetPath, renderDocsPage, ways, type DocsPlace } from './layout.ts';

const markdown = new Marked({
  hooks: {
    // What may scroll sideways takes the focus of those who use the keyboard.
    postprocess: (text) =>
      text
        .replaceAll('<pre>', '<pre tabindex="0">')
        .replaceAll('<table>', '<div class="table" tabindex="0"><table>')
        .replaceAll('</table>', '</table></div>'),
  },
  renderer: {
    heading({ tokens, depth, text }) {
      return `<h${depth} id="${toAnchor(text)}">${this.parser.parseInline(tokens)}</h${depth}>\n`;
    },
    link({ href, tokens }) {
      return `<a href="${href.replace(/^([\w-]+)\.md(?=#|$)/, '$1')}">${this.parser.parseInline(tokens)}</a>`;
    },
  },
});

/** The name of a heading in links: `not_found` for `` `not_found` ``. */
const toAnchor = (text: string) =>
  text
    .toLowerCase()
    .replaceAll(/[^\w\s-]/g, '')
    .trim()
    .replaceAll(/\s+/g, '-');

/** A guide as a page for people, beside the list of all. */
export function renderGuidePage(services: Services, links: Links, guides: Guide[], guide: Guide): Markup {
  const text = guide.markdown.replaceAll(WRITTEN_FOR, links.base);
  return renderPage(services, guides, guide, raw(markdown.parse(text, { async: false })));
}

/** The list of the guides as a page. */
export function renderGuideIndex(services: Services, guides: Guide[]): Markup {
  const list = [...Map.groupBy(guides, ({ section }) => section)].map(
    ([section, own]) => html`<h2>${section}</h2>
<ul>${own.map(({ slug, title, summary }) => html`<li><a href="guides/${slug}">${title}</a>: ${summary}</li>`)}</ul>`,
  );
  const content = html`<h1>Guides</h1>
<p>How this marketplace is used by programs. Every command here is run by a test against the service. Each guide is Markdown too: put
<code>.md</code> behind its address.</p>
${list}`;
  return renderPage(services, guides, undefined, content);
}

/** The same list as Markdown. */
export const renderGuideList = (guides: Guide[], { base }: Links): string =>
  guides.map(({ slug, title, summary }) => `- [${title}](${base}/api/docs/guides/${slug}.md): ${summary}\n`).join('');

/** A guide for language models: its text with addresses of this service, and operations as their Markdown pages. */
export const renderGuideMarkdown = ({ markdown: text }: Guide, { base }: Links): string =>
  text
    .replaceAll(/\]\(http:\/\/localhost:3000\/api\/docs#tag\/[\w-]+\/(\w+)\)/g, `](${base}/api/reference/$1.md)`)
    .replaceAll(WRITTEN_FOR, base);

const placeOf = (slug: string | undefined): DocsPlace => (slug === 'events' || slug === 'changelog' ? slug : 'guides');

function renderPage(services: Services, guides: Guide[], guide: Guide | undefined, content: Markup): Markup {
  const way = guide ? ways.guide : ways.index;
  const body = html`<main id="content" class="docs-columns">
<aside><nav aria-label="Guides">
${[...Map.groupBy(guides, ({ section }) => section)].map(
  ([section, own]) => html`<h2>${section}</h2>
<ul>${own.map(
    ({
      slug,
      title,
    }) => html`<li><a href="${way.docs}/guides/${slug}"${slug === guide?.slug && raw(' aria-current="page"')}>${title}</a></li>
`,
  )}</ul>
`,
)}</nav></aside>
<article class="guide">
${content}
${guide && html`<p><a href="${guide.slug}.md">This page as Markdown</a></p>`}
</article>
</main>`;
  return renderDocsPage(services, way, {
    place: placeOf(guide?.slug),
    title: guide?.title ?? 'Guides',
    description: guide?.summary ?? 'Guides to the API of this marketplace.',
    head: html`<link rel="stylesheet" href="${assetPath(way.root, 'pages.css')}">
<link rel="stylesheet" href="${assetPath(way.root, 'brand.css')}">
${guide && html`<link rel="alternate" type="text/markdown" href="${guide.slug}.md">`}`,
    body,
  });
}
