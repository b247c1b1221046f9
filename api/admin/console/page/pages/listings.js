import { api, withQuery } from '../api.js';
import { categoryOptions, useCategories } from '../categories.js';
import { formatNumber } from '../format.js';
import { html } from '../html.js';
import { KeysetPagination, useCursors } from '../keyset.js';
import { Person } from '../links.js';
import { ListingDetail } from '../listing-detail.js';
import { priceOf, webAddress } from '../listing-view.js';
import { useLive } from '../live.js';
import { Button, Section, Select, Status, Table, Time } from '../parts.js';
import { useQuery } from '../route.js';
import { SearchField } from '../search-field.js';

const statuses = ['active', 'draft', 'flagged', 'paused', 'expired', 'sold', 'deleted'];
const sources = [
  ['api', 'API'],
  ['web', 'website'],
  ['scraped', 'scraped'],
  ['seed', 'seed'],
];
const orders = [
  ['newest', 'newest'],
  ['oldest', 'oldest'],
  ['updated', 'last changed'],
  ['price_high', 'highest price'],
  ['price_low', 'lowest price'],
  ['expires', 'expires first'],
];
const names = ['q', 'status', 'category', 'source', 'country', 'reported', 'seller_id', 'scraper_id', 'sort'];

const columns = [
  { title: '', label: 'Picture', phone: false, render: ({ image }) => html`<${Thumbnail} url=${image} />` },
  {
    title: 'Listing',
    grow: true,
    render: (row) =>
      html`<a href="#/listings/${row.id}">${row.title}</a>
        <span class="faint">${row.category.path.join(' › ')}${row.site ? ` · ${row.site}` : ''}</span>`,
  },
  { title: 'Status', render: ({ status }) => html`<${Status} of=${status} />` },
  { title: 'Price', align: 'end', render: (row) => html`<span class="number">${priceOf(row)}</span>` },
  {
    title: 'Seller',
    phone: false,
    render: ({ seller }) => html`<${Person} of=${seller} /><span class="faint">${seller.email}</span>`,
  },
  { title: 'Place', phone: false, render: ({ location }) => `${location.city}, ${location.country}` },
  {
    title: 'Reports',
    align: 'end',
    phone: false,
    render: ({ reports }) =>
      reports > 0 ? html`<span class="alarm">${formatNumber(reports)}</span>` : html`<span class="faint">0</span>`,
  },
  { title: 'Views', align: 'end', phone: false, render: ({ views }) => formatNumber(views) },
  { title: 'Changed', align: 'end', phone: false, render: (row) => html`<${Time} at=${row.updated_at} />` },
];

function View() {
  const [query, setQuery] = useQuery();
  const filter = Object.fromEntries(names.map((name) => [name, query[name]]));
  const cursors = useCursors(JSON.stringify(filter));
  const path = withQuery('/api/admin/listings', { ...filter, cursor: cursors.cursor });
  const listings = useLive((options) => api.get(path, options), { on: ['listing.'], inputs: [path] });
  const narrowed = names.some((name) => name !== 'sort' && query[name]);
  const clear = () => setQuery(Object.fromEntries(names.map((name) => [name, ''])));
  const empty = narrowed
    ? html`No listing is like that. <${Button} small onClick=${clear}>Show all listings<//>`
    : html`There is no listing yet. <a href="#/scrapers?making=1">Set up a scraper</a>, or let people${' '}
        <a href="./sell">offer something</a>.`;
  return html`<${SearchField}
      label="Search listings"
      placeholder="Title, seller, e-mail, id or source address"
      value=${query.q ?? ''}
      onSearch=${(q) => setQuery({ q })}
    />
    <${Section} title="All listings" live=${listings} aside=${html`<${Filters} query=${query} change=${setQuery} narrowed=${narrowed} clear=${clear} />`}>
      <${Table}
        label="Listings"
        columns=${columns}
        rows=${listings.data?.results}
        stale=${listings.stale}
        keyOf=${({ id }) => id}
        onOpen=${({ id }) => (location.hash = `#/listings/${id}`)}
        empty=${empty}
      />
      <${KeysetPagination} cursors=${cursors} of=${listings.data} noun="listings" />
    <//>`;
}

function Filters({ query, change, narrowed, clear }) {
  const categories = useCategories();
  const select = (name, label, options, all = 'all') =>
    html`<${Select}
      label=${label}
      value=${query[name] ?? ''}
      options=${[['', all], ...options]}
      onChange=${(value) => change({ [name]: value })}
    />`;
  const country = (event) => {
    const value = event.currentTarget.value.trim().toUpperCase();
    if (value === '' || /^[A-Z]{2}$/.test(value)) change({ country: value });
  };
  return html`${select('status', 'Status', statuses, 'all but deleted')}
    ${select('category', 'Category', categoryOptions(categories))}
    ${select('source', 'From', sources)}
    <label class="field inline">
      <span>Country</span>
      <input class="code" maxlength="2" placeholder="all" value=${query.country ?? ''} onChange=${country} />
    </label>
    ${select('reported', 'Reports', [
      ['true', 'reported'],
      ['false', 'not reported'],
    ])}
    ${select('sort', 'Order', orders.slice(1), 'newest')}
    ${narrowed && html`<button type="button" class="small" onClick=${clear}>Clear</button>`}`;
}

function Thumbnail({ url }) {
  const address = url && webAddress(url);
  return address
    ? html`<img class="thumbnail" src=${address} alt="" loading="lazy" decoding="async" referrerpolicy="no-referrer" />`
    : html`<span class="thumbnail"></span>`;
}

export const page = { path: '#/listings', title: 'Listings', shortcut: 'g l', View, Detail: ListingDetail };
