import { BY_PATTERN } from './extract-pages.ts';

/**
 * What the saved sites list, by host: a pattern that the addresses of their entries match and no other link of the same pages
 * does. Hosts of the pagination pages that list nothing of their own, or pages of one thing only, are left out.
 */
export const entryTruth: Record<string, RegExp> = {
  'www.mypapershop.com': /\/\d{5,}[^/]*\/[^/]+\.html$/,
  'www.civfanatics.ru': /\/content\/\d+-/,
  'www.michelson.pl': /;m-p-/,
  'rumorfix.com': /\/\d{4}\/\d\d\/[^/]+\/?$/,
  'forums.pdfforge.org': /\/discussion\/\d+\/[^/]+$/,
  'tomandlorenzo.com': /\/\d{4}\/\d\d\/[^/]+\/$/,
  'bitterkittens.com': /\/discussion\/\d+\/[^/]+$/,
  'juragancipir.com': /\/forums\/topic\/[^/]+\/?$/,
  'themestotal.com': /^https?:\/\/themestotal\.com\/[^/]+\.html$/,
  'www.zone-concours.com': /\/forum\/[^/]+-t\d+\.html/,
  'forum.astral-guild.net': /\/board\/\d+\/\d+\/$/,
  'playrust.com': /^https?:\/\/playrust\.com\/[^/]+-\d+\/$/,
  'facepunch.com': /showthread\.php\?t=\d+$/,
  'www.juanmerodio.com': /\/\d{4}\/[^/]+\/+$/,
  'www.rc-race-shop.de': /-p-\d+\.html/,
  'streetstorm.ru': /\/blog\/[^/?]+\/$/,
  'ediaryhiroko.com': /\?p=\d+$/,
  'www.taximobility.com': /\/blog\/[^/]+\/$/,
  'www.annaoriona.ru': /\/yroki-lepki\/[^/]+\/\d+-/,
  'washington.org': /\/dc-events\/[^/]+$/,
  'events.jacksonville.com': /\/event\/[^/?]+/,
  'www.disfracesjarana.com': /\/disfraces-[^?]*\/[^/]+\.html$/,
  'disfracesjarana.com': /\/blog\/[^/]+\/$/,
  'www.infor-ingen.cl': /product_id=\d+/,
  'www.towerrevo.jp': /\/article\/\d+\//,
  'www.musicloops.com': /\/music-download\//,
  'ecochildsplay.com': /\/\d{4}\/\d\d\/\d\d\/[^/]+\/$/,
  'inmykonos.com': /\/news\/[^/]+\.html$/,
  'mightyfingers.com': /\/blog\/[^/]+\/$/,
  'www.fashionlush.com': /^https?:\/\/www\.fashionlush\.com\/[^/]+\/$/,
  'hindutvaonline.co.in': /^https?:\/\/hindutvaonline\.co\.in\/%[^/]+\/$/,
  'www.aussiev8.com.au': /\/comedy-central\/\d+-[^/]+\.html$/,
  'www.baldur-nederland.nl': /\/produkt\//,
  'www.darkveins.com': /\/\d+-[^/]+\/$/,
};

/** Lists of the listing pages: file, address, and the pattern of their entries. */
export const listTruth: [file: string, url: string, entries: RegExp][] = [
  ...BY_PATTERN,
  ['ski-it-again-table-2016', 'http://www.ski-it-again.com/', /postid=\d+/],
  ['leboncoin-cars-2015-p1', 'http://www.leboncoin.fr/', /\/voitures\/\d+\.htm/],
  ['autoscout24-de-search-2026', 'https://www.autoscout24.de/lst/bmw/i4', /\/angebote\/[^/]+-[0-9a-f]{12}/],
  ['fs-www.pandahall.com-3', 'http://www.pandahall.com/mix-beads-wholesale/1.html', /\/p-\d+-/],
  ['fs-www.1000bulbs.com-3', 'https://www.1000bulbs.com/search?category=5942', /\/product\/\d+\//],
];
