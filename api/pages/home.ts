import { fill, fillCount, formatNumber } from './format.ts';
import type { Performed } from '../http/perform.ts';
import type { ListingItem } from '../listings/present.ts';
import { html, type Child, type Markup } from './html.ts';
import { responsiveImage, type ImageSizes } from './image-sizes.ts';
import { langField, listingCards, readCardSizes } from './parts.ts';
import { feedLinks } from './feed-links.ts';
import { describeSite } from './json-ld.ts';
import type { PageHandler } from './page-handler.ts';
import type { Visit } from './visit.ts';

/** So many categories are named below one. */
const MAX_BELOW = 3;

/** The front page: what this is, how much there is, the newest, the categories, and the first calls for developers. */
export const showHome: PageHandler = async (visit) => {
  const { words, services, locale, href, links } = visit;
  const { config, profile } = services;
  const [found, tree, rentals] = await Promise.all([
    visit.perform('searchListings', { query: { sort: 'newest', limit: '12' } }),
    visit.perform('listCategories', {}),
    visit.perform('listRentals', { query: { limit: '1' } }),
  ]);
  const what = profile.tagline[locale] ?? profile.tagline.en;
  const { results, pagination } = found.body;
  const sizes = await readCardSizes(visit, results);
  const title = fill(words.home.title, { brand: config.brand.name, what });
  return {
    tag: 'listings',
    page: {
      title,
      description: words.home.lead,
      canonical: visit.url('home', {}),
      image: results.flatMap(({ images }) => images.slice(0, 1))[0],
      head: [describeSite(visit), feedLinks(visit)],
      content: html`<section class="hero">
<div><h1>${title}</h1>
<p>${words.home.lead}</p>
<form class="find" role="search" action="${href('search', {})}" method="get" aria-label="${words.nav.search}">${langField(visit)}
<input type="search" name="q" placeholder="${words.nav.find}" aria-label="${words.nav.find}" maxlength="200" autocomplete="off" enterkeyhint="search">
<button>${words.nav.search}</button>
</form>
<p class="live"><a href="${href('search', {})}">${fillCount(locale, words.home.listings, pagination.total)}</a></p></div>
${mosaic(results, sizes)}
</section>
${categoryTiles(visit, tree.body.categories, rentals.body.pagination.total)}
<div class="head"><h2>${words.home.newest}</h2>${results.length > 0 && html`<a href="${href('search', {})}">${words.home.all}</a>`}</div>
${results.length > 0 ? listingCards(visit, results, sizes) : nextSteps(visit)}
<section class="developers">
<div><h2>${words.home.developers}</h2>
<p>${words.home.developersText}</p>
<p class="stack"><a class="button" href="${links.base}/api/docs">${words.home.docs}</a> <a href="${links.base}/.well-known/ai.json">${words.nav.forAgents}</a> <a href="${links.base}/feeds/listings.atom">${words.nav.feeds}</a> <a href="${links.base}/admin">${words.nav.console}</a></p></div>
<pre aria-label="${words.home.firstCalls}" tabindex="0">${firstCalls(visit)}</pre>
</section>`,
    },
  };
};

const MOSAIC = 4;

/** Photos of the newest listings, as a decoration: they are shown and linked below. */
function mosaic(results: readonly ListingItem[], sizes: ImageSizes): Child {
  const photos = results.flatMap(({ images }) => images.slice(0, 1)).slice(0, MOSAIC);
  if (photos.length < MOSAIC) return undefined;
  return html`<div class="mosaic">${photos.map((photo) => responsiveImage(photo, sizes, { shownWidth: '12rem', isFirst: false }))}</div>`;
}

type Tree = Performed<'listCategories'>['body']['categories'];

/** The categories with how much is in each, and the fullest of those below; at the end what can be rented. */
function categoryTiles({ words, href, locale }: Visit, tree: Tree, rentals: number): Markup {
  const tiles = tree.filter(({ id }) => id !== 'all');
  return html`<div class="head"><h2>${words.home.categories}</h2></div>
<ul class="tiles">
${tiles.map(({ id, name, count, children }) => {
  const below = children
    .filter((each) => each.count > 0)
    .toSorted((one, other) => other.count - one.count)
    .slice(0, MAX_BELOW);
  return html`<li><a class="tile${count === 0 && ' none'}" href="${href('search', { category: id })}">${name} <span>${formatNumber(locale, count)}</span></a>
${below.length > 0 && html`<p class="below">${below.map((each) => html`<a href="${href('search', { category: each.id })}">${each.name}</a> `)}</p>`}</li>
`;
})}${rentals > 0 && html`<li><a class="tile" href="${href('rentals', {})}">${words.rental.title} <span>${formatNumber(locale, rentals)}</span></a></li>`}</ul>`;
}

/** What to do in a marketplace that is empty. */
function nextSteps({ words, href, links }: Visit): Markup {
  return html`<div class="panel nothing">
<p>${words.home.empty}</p>
<ul>
<li><a href="${href('sell', {})}">${words.nav.sell}</a></li>
<li>${words.home.tryDemo} <code>PORT=3100 DATA_DIR=/tmp/demo npm run demo</code></li>
<li><a href="${links.base}/admin">${words.nav.console}</a>: ${words.home.consoleText}</li>
<li><a href="${links.base}/api/docs">${words.home.docs}</a>, <a href="${links.base}/api/docs/guides">${words.home.guides}</a></li>
</ul>
</div>`;
}

/** Three calls that work as they stand, on this very address. */
function firstCalls({ links }: Visit): string {
  return [
    `curl '${links.base}/api/listings?limit=3'`,
    `curl '${links.base}/api/search/suggest?q=ba'`,
    `curl '${links.base}/api/categories'`,
  ].join('\n');
}
