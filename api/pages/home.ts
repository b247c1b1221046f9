import { fill, formatNumber } from './format.ts';
import { html, type Markup } from './html.ts';
import { listingCards } from './parts.ts';
import type { PageHandler } from './page-handler.ts';
import type { Visit } from './visit.ts';

/** The front page: what this is, how much there is, the newest, the categories, and the first calls for developers. */
export const showHome: PageHandler = async (visit) => {
  const { words, services, locale, href, links } = visit;
  const { config, profile } = services;
  const [found, tree] = await Promise.all([
    visit.perform('searchListings', { query: { sort: 'newest', limit: '12' } }),
    visit.perform('listCategories', {}),
  ]);
  const what = profile.name === 'nautical' ? words.home.whatNautical : words.home.whatGeneral;
  const { results, pagination } = found.body;
  const categories = tree.body.categories.filter(({ id }) => id !== 'all');
  return {
    tag: 'listings',
    page: {
      title: fill(words.home.title, { brand: config.brand.name, what }),
      description: words.home.lead,
      canonical: visit.url('home', {}),
      content: html`<section class="hero">
<h1>${fill(words.home.title, { brand: config.brand.name, what })}</h1>
<p>${words.home.lead} ${fill(words.home.listings, { count: formatNumber(locale, pagination.total) })}</p>
</section>
<h2>${words.home.categories}</h2>
<ul class="tiles">
${categories.map(
  ({ id, name, count }) =>
    html`<li><a href="${href('search', { category: id })}">${name} <span>${formatNumber(locale, count)}</span></a></li>
`,
)}
</ul>
<h2>${words.home.newest}</h2>
${results.length > 0 ? listingCards(visit, results) : nextSteps(visit)}
${results.length > 0 && html`<p class="pages"><a class="button plain" href="${href('search', {})}">${words.home.all}</a></p>`}
<h2>${words.home.developers}</h2>
<p>${words.home.developersText} <a href="${links.base}/api/docs">${words.home.docs}</a></p>
<pre aria-label="${words.home.firstCalls}" tabindex="0">${firstCalls(visit)}</pre>`,
    },
  };
};

/** What to do in a marketplace that is empty. */
function nextSteps({ words, href, links }: Visit): Markup {
  return html`<div class="note">
<p>${words.home.empty}</p>
<ul>
<li><a href="${href('sell', {})}">${words.nav.sell}</a></li>
<li>${words.home.tryDemo} <code>PORT=3100 DATA_DIR=/tmp/demo npm run demo</code></li>
<li><a href="${links.base}/admin">${words.nav.console}</a>: ${words.home.consoleText}</li>
<li><a href="${links.base}/api/docs">${words.home.docs}</a></li>
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
