import type { Locale } from '../../shared/profiles/profile.ts';
import { assetUrl } from './assets.ts';
import { doneNote } from './done-note.ts';
import { languageName } from './format.ts';
import { html, raw, render, type Child, type Markup } from './html.ts';
import { langField } from './parts.ts';
import type { Visit } from './visit.ts';

/** What a page tells of itself, and its content. */
export type Page = {
  title: string;
  /** One sentence for search engines and previews. */
  description?: string | undefined;
  content: Markup;
  /** The address without what does not change the page; undefined for pages of one person, which no search engine keeps. */
  canonical?: string | undefined;
  image?: { url: string; alt?: string | undefined; width?: number; height?: number } | undefined;
  /** What the one thing costs that the page is about; 0 is a price on request. */
  price?: { amount: number; currency: string };
  /** JSON-LD, and links to feeds. */
  head?: Child;
  /** The words in the field of the search. */
  q?: string;
};

/** A whole HTML document: the brand, the search, who is signed in, the content, and the languages. */
export function renderDocument(visit: Visit, page: Page): string {
  const { locale, words, services, links } = visit;
  const { brand } = services.config;
  const title = page.title.includes(brand.name) ? page.title : `${page.title} · ${brand.name}`;
  const document = html`<!doctype html>
<html lang="${locale}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<meta name="color-scheme" content="light dark">
<meta name="theme-color" content="${brand.color}">
${page.description && html`<meta name="description" content="${page.description}">`}
${page.canonical === undefined ? html`<meta name="robots" content="noindex">` : found(visit, page, page.canonical, title)}
<link rel="stylesheet" href="${assetUrl(links, 'pages.css')}">
<link rel="stylesheet" href="${assetUrl(links, 'brand.css')}">
<script type="module" src="${assetUrl(links, 'pages.js')}"></script>
<link rel="icon" href="${assetUrl(links, 'icon.svg')}" type="image/svg+xml">
<link rel="manifest" href="${links.base}/manifest.webmanifest">
${page.head}
</head>
<body>
<a class="skip" href="#content">${words.nav.skip}</a>
${header(visit, page.q)}
<main id="content">
${doneNote(visit)}
${page.content}
</main>
${footer(visit)}
</body>
</html>
`;
  return render(document);
}

/** Canonical address, the same page in the other languages, and what a preview shows. */
function found({ services, locale, query }: Visit, page: Page, bare: string, title: string): Child {
  const { profile, config } = services;
  const inLanguage = (lang: Locale) => `${bare}${bare.includes('?') ? '&' : '?'}lang=${lang}`;
  // Each language that was asked for is a page of its own: search engines drop alternates whose canonical address is another.
  const canonical = query.lang === locale ? inLanguage(locale) : bare;
  return [
    html`<link rel="canonical" href="${canonical}">
`,
    profile.locales.map(
      (lang) => html`<link rel="alternate" hreflang="${lang}" href="${inLanguage(lang)}">
`,
    ),
    html`<link rel="alternate" hreflang="x-default" href="${bare}">
<meta property="og:title" content="${title}">
<meta property="og:url" content="${canonical}">
<meta property="og:type" content="${page.price ? 'product' : 'website'}">
<meta property="og:site_name" content="${config.brand.name}">
<meta property="og:locale" content="${locale}">
${page.description && html`<meta property="og:description" content="${page.description}">`}
${page.image && previewOf(page.image)}
${
  page.price &&
  page.price.amount > 0 &&
  html`<meta property="product:price:amount" content="${page.price.amount}">
<meta property="product:price:currency" content="${page.price.currency}">`
}`,
  ];
}

const previewOf = ({ url, alt, width, height }: NonNullable<Page['image']>) =>
  html`<meta property="og:image" content="${url}">
${width && height && html`<meta property="og:image:width" content="${width}"><meta property="og:image:height" content="${height}">`}
${alt && html`<meta property="og:image:alt" content="${alt}">`}
<meta name="twitter:card" content="summary_large_image">`;

/** What somebody has of their own is a row of links; on a narrow screen the same links are behind one that opens, without script. */
function header(visit: Visit, q = ''): Markup {
  const { words, href, caller, services } = visit;
  const { brand } = services.config;
  const mark = brand.logoUrl
    ? html`<img src="${brand.logoUrl}" alt="${brand.name}" height="32">`
    : html`<span>${brand.name}</span>`;
  const own = html`<a href="${href('inbox', {})}">${words.nav.inbox}</a>
<a href="${href('favorites', {})}">${words.nav.favorites}</a>
<a href="${href('my_listings', {})}">${words.nav.myListings}</a>
<a href="${href('account', {})}">${words.nav.account}</a>`;
  return html`<header class="site">
<a class="brand" href="${href('home', {})}">${mark}</a>
<form class="find" role="search" action="${href('search', {})}" method="get">${langField(visit)}
<input type="search" name="q" value="${q}" placeholder="${words.nav.find}" aria-label="${words.nav.find}" maxlength="200" autocomplete="off" enterkeyhint="search">
<button>${words.nav.search}</button>
</form>
<nav aria-label="${words.nav.menu}">
<a class="sell" href="${href('sell', {})}">${words.nav.sell}</a>
${
  caller
    ? html`<div class="own">${own}</div><details class="menu"><summary>${words.nav.menu}</summary><div>${own}</div></details>`
    : html`<a href="${href('sign_in', {})}">${words.nav.signIn}</a>`
}
</nav>
</header>`;
}

function footer({ words, links, locale, services, request }: Visit): Markup {
  const { profile, config } = services;
  const [path = '', search = ''] = request.originalUrl.split(/\?(.*)/s);
  const query = new URLSearchParams(search);
  for (const name of ['lang', 'done', '_csrf', '_once']) query.delete(name);
  const here = `${path}?${query.size > 0 ? `${query.toString()}&` : ''}lang=`;
  return html`<footer class="site">
<nav aria-label="${words.nav.forDevelopers}">
<a href="${links.base}/api/docs">${words.home.docs}</a>
<a href="${links.base}/api/docs/guides">${words.home.guides}</a>
<a href="${links.base}/.well-known/ai.json">${words.nav.forAgents}</a>
<a href="${links.base}/feeds/listings.atom">${words.nav.feeds}</a>
<a href="${links.base}/admin">${words.nav.console}</a>
${config.brand.imprintUrl && html`<a href="${config.brand.imprintUrl}">${words.nav.imprint}</a>`}
</nav>
<nav class="languages" aria-label="${words.nav.language}">
${profile.locales.map(
  (lang) =>
    html`<a href="${here}${lang}" lang="${lang}" hreflang="${lang}"${lang === locale && raw(' aria-current="true"')}>${languageName(lang)}</a>
`,
)}
</nav>
<p>${config.brand.name}</p>
</footer>`;
}
