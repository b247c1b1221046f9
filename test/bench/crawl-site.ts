// A site of as many pages as its argument says, in a process of its own: lists of fifty entries, and a page for each entry.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

const pages = Number(process.argv[2] ?? 5_000);
const PER_LIST = 50;
/** With l lists of fifty entries there are 51 l pages. */
const lists = Math.ceil(pages / (PER_LIST + 1));
const boats = pages - lists;

const menu = Array.from(
  { length: 30 },
  (_, index) => `<li><a href="/help/${index}.pdf">Help topic ${index}</a></li>`,
).join('');
const frame = (
  title: string,
  content: string,
) => `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${title}</title>
<link rel="stylesheet" href="/site.css"><meta name="description" content="${title} on a site of boats"></head>
<body><header><nav><ul>${menu}</ul></nav></header><main>${content}</main><footer><p>A site of boats, its terms and its address.</p></footer></body></html>`;

const list = (n: number) => {
  const from = n * PER_LIST;
  const entries = Array.from({ length: Math.min(PER_LIST, boats - from) }, (_, index) => from + index).map(
    (
      id,
    ) => `<article class="card"><a href="/boats/${id}"><img src="/pictures/${id}.jpg" alt=""><h2>Kestrel ${id}</h2></a>
      <p class="price">€ ${12_000 + id}</p><p>Built in ${1980 + (id % 40)}, lies in Kappeln</p></article>`,
  );
  const next = n + 1 < lists ? `<a rel="next" href="/list/${n + 1}">Next</a>` : '';
  return frame(`Boats, page ${n + 1}`, `<h1>Boats</h1>${entries.join('')}${next}`);
};

const boat = (id: number) => {
  const name = `Kestrel ${id}`;
  const data = {
    '@context': 'https://schema.org',
    '@type': 'Product',
    name,
    sku: `K${id}`,
    image: [`/pictures/${id}.jpg`],
    offers: { '@type': 'Offer', price: 12_000 + id, priceCurrency: 'EUR', availability: 'https://schema.org/InStock' },
  };
  const facts = Array.from(
    { length: 20 },
    (_, index) => `<tr><th>Fact ${index}</th><td>${(id * (index + 3)) % 97} m</td></tr>`,
  );
  const paragraphs = Array.from(
    { length: 8 },
    (_, index) =>
      `<p>Paragraph ${index} of boat ${id} tells at some length how she sails, who built her, what was mended and when, and where she can be seen by anybody who wants to buy her this year.</p>`,
  );
  return frame(
    name,
    `<ol class="breadcrumb"><li><a href="/list/0">Boats</a></li><li>Sailboats</li></ol><h1>${name}</h1>
    <p class="price">€ ${12_000 + id}</p><img src="/pictures/${id}.jpg" alt="${name}"><table>${facts.join('')}</table>${paragraphs.join('')}
    <script type="application/ld+json">${JSON.stringify(data)}</script>`,
  );
};

const server = createServer((request, response) => {
  const [, kind, number] = /^\/(list|boats)\/(\d+)$/.exec(request.url ?? '') ?? [];
  const n = Number(number);
  const html = kind === 'list' && n < lists ? list(n) : kind === 'boats' && n < boats ? boat(n) : undefined;
  if (html === undefined) response.writeHead(404).end();
  else response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(html);
}).listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }));
process.on('disconnect', () => process.exit(0));
