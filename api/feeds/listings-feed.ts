import { urlTo } from '../../shared/kit/site-links.ts';
import type { Handler } from '../handler.ts';
import type { Request } from '../http/types.ts';
import type { ListingItem } from '../listings/present.ts';
import { formatMoney } from '../pages/format.ts';
import { html, raw, render, type Child } from '../pages/html.ts';
import { wordsIn } from '../pages/words/words.ts';
import type { Services } from '../services.ts';
import { addressQueryOf, excerptOf, searchForFeed, type FeedPage } from './feed-search.ts';
import { element, renderXml } from './xml.ts';

type FeedRequest = Request<'getListingsAtom'> | Request<'getListingsRss'>;

/** A search as Atom (RFC 4287), the newest first, with links to the pages before and after (RFC 5005). */
export const getListingsAtom: Handler<'getListingsAtom'> = async (services, request) => {
  const feed = await readFeed(services, request, 'listings.atom');
  const text = renderXml(html`<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="${request.locale}">
${element('id', feed.self)}${element('title', feed.title)}${element('updated', feed.updatedAt)}<link rel="alternate" type="text/html" href="${feed.page}"/>
${feed.links.map(
  ([rel, href]) => html`<link rel="${rel}" type="application/atom+xml" href="${href}"/>
`,
)}${feed.entries.map(
    ({ id, link, title, content, publishedAt, changedAt, author, category }) => html`<entry>
${element('id', id)}${element('title', title)}<link rel="alternate" type="text/html" href="${link}"/>
${element('published', publishedAt)}${element('updated', changedAt)}<author>${element('name', author)}</author>
<category term="${category.id}" label="${category.label}"/>
<content type="html">${content}</content>
</entry>
`,
  )}</feed>`);
  return { status: 200, headers, body: { text, type: 'application/atom+xml; charset=utf-8' } };
};

/** The same as RSS 2.0. */
export const getListingsRss: Handler<'getListingsRss'> = async (services, request) => {
  const feed = await readFeed(services, request, 'listings.rss');
  const text = renderXml(html`<rss version="2.0" xmlns:atom="http://www.w3.org/2005/Atom">
<channel>
${element('title', feed.title)}${element('link', feed.page)}${element('description', feed.title)}${element('language', request.locale)}${element('lastBuildDate', dateOf(feed.updatedAt))}${feed.links.map(
    ([rel, href]) => html`<atom:link rel="${rel}" type="application/rss+xml" href="${href}"/>
`,
  )}${feed.entries.map(
    ({ id, link, title, content, publishedAt, category }) => html`<item>
${element('title', title)}${element('link', link)}<guid isPermaLink="false">${id}</guid>
${element('pubDate', dateOf(publishedAt))}${element('category', category.label)}${element('description', content)}</item>
`,
  )}</channel>
</rss>`);
  return { status: 200, headers, body: { text, type: 'application/rss+xml; charset=utf-8' } };
};

/** Entries of a page where the request names no limit, as the contract has it. */
const LIMIT = 20;
const headers = { Vary: 'Accept-Language' };

/** As RFC 822 writes a time, which RSS has kept. */
const dateOf = (time: string) => new Date(time).toUTCString();

async function readFeed(services: Services, request: FeedRequest, name: 'listings.atom' | 'listings.rss') {
  const { locale, links } = request;
  const { site, brand } = services.config;
  const { results, pagination } = await searchForFeed(services, request, { sort: 'newest' });
  const query = addressQueryOf(request);
  const addressOf = (page: number) => {
    const { limit } = pagination;
    const place = { ...(page > 1 && { page: String(page) }), ...(limit !== LIMIT && { limit: String(limit) }) };
    const values = new URLSearchParams({ ...query, ...place });
    return `${links.base}/feeds/${name}${values.size > 0 ? `?${values.toString()}` : ''}`;
  };
  const { q } = query;
  return {
    title: [q, wordsIn(locale).search.title, brand.name].filter(Boolean).join(' · '),
    page: urlTo(site, 'search', query),
    self: addressOf(pagination.page),
    links: linksOf(pagination, addressOf),
    // Without an entry nothing has ever changed.
    updatedAt: results.map((item) => item.updated_at).reduce((a, b) => (a > b ? a : b), '1970-01-01T00:00:00.000Z'),
    entries: results.map((item) => ({
      id: `${links.base}/api/listings/${item.id}`,
      link: urlTo(site, 'listing', { slug: item.slug }),
      title: item.title,
      content: render(contentOf(item, locale)),
      publishedAt: item.created_at,
      changedAt: item.updated_at,
      author: item.seller.name,
      category: { id: item.category.id, label: item.category.path.at(-1) ?? item.category.id },
    })),
  };
}

function linksOf({ page, pages }: FeedPage['pagination'], addressOf: (page: number) => string): [string, string][] {
  return [
    ['self', addressOf(page)],
    ...(page > 1 ? [['previous', addressOf(page - 1)] as [string, string]] : []),
    ...(page < pages ? [['next', addressOf(page + 1)] as [string, string]] : []),
  ];
}

/** Photo, price, place and the beginning of the text, as HTML that feed readers show. */
function contentOf(item: ListingItem, locale: Request<'getListingsAtom'>['locale']): Child {
  const { images, price, location } = item;
  const [image] = images;
  const money =
    price.amount > 0 ? formatMoney(locale, price.amount, price.currency) : wordsIn(locale).listing.onRequest;
  return [
    image && html`<p><img src="${image.thumbnail_url ?? image.url}" alt="${image.alt ?? ''}"></p>`,
    html`<p><strong>${money}</strong>${location.city && [raw(' · '), location.city]}</p><p>${excerptOf(item)}</p>`,
  ];
}
