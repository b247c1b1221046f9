import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import sharp from 'sharp';
import { createDice } from './draw/dice.ts';
import { drawBoat } from './draw/boat.ts';
import { drawGoods } from './draw/goods.ts';

type Notice = {
  path: string;
  title: string;
  category: string;
  facts: [string, string][];
  price: string;
  place: string;
  text: string;
};

const boats: readonly [title: string, category: string, length: string, year: string, price: string, place: string][] =
  [
    ['Contessa 32 "Merry Dance"', 'cruising', '9.75 m', '1978', '£ 21,500', 'Lymington, United Kingdom'],
    ['Folkboat "Sternchen"', 'cruising', '7.68 m', '1966', '€ 9.800', 'Kiel, Germany'],
    ['Hallberg-Rassy 352 "Havsvind"', 'cruising', '10.54 m', '1984', '€ 62.000', 'Ellös, Sweden'],
    ['Linssen 33.9 "Waterlelie"', 'cabin-cruisers', '10.35 m', '2008', '€ 128.500', 'Sneek, Netherlands'],
    ['Jeanneau Merry Fisher 695', 'fishing-boats', '6.62 m', '2017', '€ 38.900', 'La Rochelle, France'],
    ['Nauticat 33 "Ilta"', 'motorsailers', '10.11 m', '1981', '€ 44.000', 'Turku, Finland'],
    ['Quicksilver 605 Pilothouse', 'pilothouse-boats', '5.79 m', '2019', '€ 31.500', 'Split, Croatia'],
    ['Bavaria 37 Cruiser "Luvseite"', 'cruising', '11.30 m', '2015', '€ 89.000', 'Rostock, Germany'],
    ['Zodiac Medline 580', 'inflatable-boats', '5.75 m', '2016', '€ 18.200', 'Palma, Spain'],
  ];
const goods: readonly [title: string, category: string, price: string, place: string][] = [
  ['Gazelle Orange bicycle, seven gears', 'bicycles', '€ 340', 'Utrecht, Netherlands'],
  ['String shelf of the sixties', 'storage-wardrobes', '€ 280', 'Malmö, Sweden'],
  ['Leather sofa with three seats', 'sofas-armchairs', '€ 450', 'Bologna, Italy'],
  ['Oak table from a school', 'tables-chairs', '€ 190', 'Leipzig, Germany'],
  ['Loudspeakers of 1979, restored', 'audio', '£ 220', 'Bristol, United Kingdom'],
  ['Racing bicycle, steel frame', 'bicycles', '€ 410', 'Ghent, Belgium'],
];

/**
 * A small site to crawl, with notices that are made up: two list pages, a page for each notice with its facts as a table, an image of
 * each, robots.txt. Nothing of it is marked up for machines.
 */
export async function serveHarbourBoard(profile: 'nautical' | 'general', port: number): Promise<Server> {
  const notices = profile === 'nautical' ? boats.map(toBoatNotice) : goods.map(toGoodsNotice);
  const pages = new Map<string, string>([
    ['/', listPage(notices.slice(0, 5), '<a rel="next" href="/page-2">Older notices</a>')],
    ['/page-2', listPage(notices.slice(5), '<a href="/">Newer notices</a>')],
    ...notices.map((notice) => [notice.path, noticePage(notice)] as const),
  ]);
  const server = createServer((request, response) => {
    const path = request.url ?? '/';
    const page = pages.get(path);
    const notice = notices.find((each) => `${each.path}.jpg` === path);
    if (path === '/robots.txt') response.setHeader('Content-Type', 'text/plain').end('User-agent: *\nAllow: /\n');
    else if (page !== undefined) response.setHeader('Content-Type', 'text/html; charset=utf-8').end(page);
    else if (path === '/stock.csv') response.setHeader('Content-Type', 'text/csv; charset=utf-8').end(stockOf(notices));
    else if (notice)
      draw(profile, notice).then(
        (image) => response.setHeader('Content-Type', 'image/jpeg').end(image),
        (error: Error) => response.writeHead(500).end(error.message),
      );
    else response.writeHead(404, { 'Content-Type': 'text/plain' }).end('There is no such notice.');
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

/** The same as a feed, with columns of its own: a number, and whether the thing is gone. */
const stockOf = (notices: readonly Notice[]) =>
  [
    'ref,title,description,offer,length_m,location,status',
    ...notices.map(({ title, text, price, place, facts }, n) =>
      [
        String(n + 1),
        title,
        text,
        price,
        facts.find(([name]) => name === 'Length')?.[1] ?? '',
        place,
        n === 3 ? 'gone' : 'there',
      ]
        .map((cell) => `"${cell.replaceAll('"', '""')}"`)
        .join(','),
    ),
  ].join('\n');

const slug = (title: string) =>
  `/notices/${title
    .normalize('NFD')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '')}`;

const toBoatNotice = ([title, category, length, year, price, place]: (typeof boats)[number]): Notice => ({
  path: slug(title),
  title,
  category,
  price,
  place,
  facts: [
    ['Length', length],
    ['Year', year],
    ['Condition', 'used'],
  ],
  text: `She lies in ${place} and can be looked at on most days. Built in ${year}, ${length} over all, always ashore in winter. The notice is made up, as the whole board is.`,
});

const toGoodsNotice = ([title, category, price, place]: (typeof goods)[number]): Notice => ({
  path: slug(title),
  title,
  category,
  price,
  place,
  facts: [['Condition', 'used']],
  text: `To be fetched in ${place}. It has been used with care and looks it. The notice is made up, as the whole board is.`,
});

function draw(profile: 'nautical' | 'general', { title, category }: Notice): Promise<Buffer> {
  const dice = createDice(`board ${title}`);
  const svg =
    profile === 'nautical' ? drawBoat(dice, category, createDice(title), 9) : drawGoods(dice, category, undefined);
  return sharp(Buffer.from(svg)).jpeg({ quality: 82 }).toBuffer();
}

const escape = (text: string) => text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');

const frame = (title: string, body: string) => `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>${escape(title)} - Harbour board</title>
<style>body{font:17px/1.5 Georgia,serif;max-width:46em;margin:2em auto;padding:0 1em;background:#f6f1e4;color:#2b3a42}img{max-width:100%}a{color:#1f5a78}</style>
</head><body><header><a href="/">Harbour board</a></header><main>${body}</main></body></html>`;

const listPage = (notices: readonly Notice[], more: string) =>
  frame(
    'Notices',
    `<h1>Notices</h1><ul>${notices
      .map(
        ({ path, title, price, place }) => `<li><a href="${path}">${escape(title)}</a> ${price}, ${escape(place)}</li>`,
      )
      .join('')}</ul><p>${more}</p>`,
  );

const noticePage = ({ path, title, facts, price, place, text }: Notice) =>
  frame(
    title,
    `<article><h1>${escape(title)}</h1><p class="price">Price: ${price}</p><img src="${path}.jpg" alt="${escape(title)}" width="960" height="720">
<table>${[...facts, ['Location', place]].map(([name = '', value = '']) => `<tr><th>${name}</th><td>${escape(value)}</td></tr>`).join('')}</table>
<div class="letter"><p>${escape(text)}</p></div></article>`,
  );
