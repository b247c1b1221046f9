import { urlTo } from '../../shared/kit/site-links.ts';
import type { Handler } from '../handler.ts';
import type { ListingItem } from '../listings/present.ts';
import { html, type Markup } from '../pages/html.ts';
import type { Services } from '../services.ts';
import { excerptOf, searchForFeed } from './feed-search.ts';
import { XML } from './sitemap.ts';
import { element, renderXml } from './xml.ts';

/** Products of one file: what the search is asked for at once, so many times. */
const LIMIT = 100;
const SEARCHES = 10;
const MAX_TITLE = 150;
const MAX_DESCRIPTION = 5_000;
const MAX_IMAGES = 11;

/** What is for sale in Google Merchant's form (RSS 2.0), up to 1,000 a page; what has no photo or no price is not in it. */
export const getProducts: Handler<'getProducts'> = async (services, request) => {
  const { brand, site } = services.config;
  const items: ListingItem[] = [];
  const first = ((request.query.page ?? 1) - 1) * SEARCHES;
  const minPrice = Math.max(request.query.min_price ?? 0, 0.01);
  for (let page = first + 1, pages = page; page <= Math.min(pages, first + SEARCHES); page += 1) {
    const changes = { page, limit: LIMIT, sort: 'newest', type: ['sale'], min_price: minPrice } as const;
    const found = await searchForFeed(services, request, changes as never);
    pages = found.pagination.pages;
    items.push(...found.results);
  }
  const text = renderXml(html`<rss version="2.0" xmlns:g="http://base.google.com/ns/1.0">
<channel>
${element('title', brand.name)}${element('link', urlTo(site, 'home', {}))}${element('description', brand.name)}${items
    .filter(({ images, price }) => images.length > 0 && price.amount > 0)
    .map((item) => productOf(services, item))}</channel>
</rss>`);
  return { status: 200, headers: { Vary: 'Accept-Language' }, body: { text, type: XML } };
};

function productOf({ config: { site } }: Services, item: ListingItem): Markup {
  const { price, images, attributes } = item;
  const { brand } = attributes as { brand?: unknown };
  const [image, ...more] = images.slice(0, MAX_IMAGES);
  return html`<item>
${element('g:id', item.id)}${element('g:title', [...item.title].slice(0, MAX_TITLE).join(''))}${element('g:description', excerptOf(item, MAX_DESCRIPTION))}${element('g:link', urlTo(site, 'listing', { slug: item.slug }))}${element('g:image_link', image?.url)}${more.map(({ url }) => element('g:additional_image_link', url))}${element('g:availability', 'in_stock')}${element('g:price', `${price.amount.toFixed(2)} ${price.currency}`)}${element('g:condition', conditionOf(item))}${element('g:brand', typeof brand === 'string' ? brand : undefined)}${element('g:product_type', item.category.path.join(' > '))}${element('g:identifier_exists', 'no')}</item>
`;
}

function conditionOf({ condition }: ListingItem): string {
  return condition === 'new' || condition === 'refurbished' ? condition : 'used';
}
