import type { Route } from '../../support/site-server.ts';

const names = [
  'Bavaria 37',
  'Hallberg-Rassy 342',
  'Najad 380',
  'Dehler 36',
  'Contest 32',
  'Vindö 40',
  'Halmatic 30',
  'Moody 33',
];
const card = (n: number) =>
  `<li class="card"><a href="/boats/${4_000 + n}-${n % 2 ? 'sloop' : 'ketch'}.html"><img src="/i/${n}.jpg">
   <h3>${names[n % names.length]} of the year ${1_990 + n}</h3></a> <span>€ ${20 + n}.500</span> Kiel, Germany</li>`;
const pager = (pages: number) =>
  `<nav class="pagination">${Array.from({ length: pages }, (_, i) => `<a href="/for-sale?page=${i + 1}">${i + 1}</a>`).join(' ')}</nav>`;
/** A page of the list: six boats from this one on. */
export const list = (
  from: number,
) => `<title>Boats for sale</title><header><nav><a href="/">Home</a><a href="/about">About us</a>
  <a href="/contact">Contact</a></nav></header><main><h1>Boats for sale</h1><ul>${Array.from({ length: 6 }, (_, i) => card(from + i)).join('')}</ul>
  ${pager(3)}</main>`;
const thing = (n: number) =>
  `<title>${names[n % names.length]}</title><script type="application/ld+json">${JSON.stringify({
    '@type': 'Product',
    name: `${names[n % names.length]} of the year ${1_990 + n}`,
    image: [`https://images.example/${n}.jpg`],
    description: 'A well kept cruising yacht with new sails, ready to go.',
    offers: { '@type': 'Offer', price: 20_500 + n * 1_000, priceCurrency: 'EUR' },
  })}</script><h1>${names[n % names.length]} of the year ${1_990 + n}</h1><p>A sailing yacht.</p>`;

/** A small broker: three pages of a list, 18 boats with markup, and what else such a site has. */
export function boatSite(): Record<string, Route> {
  const things = Array.from({ length: 18 }, (_, n) => [
    `/boats/${4_000 + n}-${n % 2 ? 'sloop' : 'ketch'}.html`,
    thing(n),
  ]);
  const lists = [0, 6, 12].map((from, page) => [`/for-sale?page=${page + 1}`, list(from)]);
  return { ...Object.fromEntries([...things, ...lists]), '/for-sale': list(0), '/about': '<h1>About</h1>' };
}
