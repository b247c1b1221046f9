import { describe, expect, test } from 'vitest';
import { extractPage } from '../../../scrapers/extract/extract-page.ts';
import { extractSelectors } from '../../../scrapers/extract/selectors.ts';

const PAGE = 'https://ads.example/a/1';
const html = `<html lang="fr"><body>
  <h2 class="t">Voilier <b>Sun Odyssey</b></h2><p class="p" data-amount="32000">32 000 €</p>
  <div class="d"><p>Premier.</p><p>Second.</p></div>
  <ul class="g"><li><img data-src="/1.jpg" src="data:image/gif;base64,x" alt="un"></li><li><img src="/2.jpg"></li><li><img src="/2.jpg"></li></ul>
  <ol class="b"><li>Bateaux</li><li>Voiliers</li></ol>
  <table class="s"><tr><td>Longueur :</td><td>10 m</td></tr><tr><td>Tirant d’eau</td><td>1,5 m</td></tr></table>
  <span class="city">Brest</span><a class="self" href="/a/1-voilier">lien</a><i class="stock">in stock</i></body></html>`;

describe('extractSelectors', () => {
  test('reads every kind of field, absolute addresses, and unknown names as labelled facts', () => {
    const record = extractSelectors(html, PAGE, {
      title: 'h2.t',
      price: '.p@data-amount',
      description: '.d',
      images: '.g img',
      breadcrumbs: '.b li',
      properties: '.s tr',
      city: '.city',
      url: 'a.self@href',
      availability: '.stock',
      Chantier: 'h2 b',
      brand: '.absent',
    });
    expect(record).toEqual({
      url: 'https://ads.example/a/1-voilier',
      title: 'Voilier Sun Odyssey',
      price: '32000',
      description: 'Premier.\n\nSecond.',
      images: [{ url: 'https://ads.example/1.jpg', alt: 'un' }, { url: 'https://ads.example/2.jpg' }],
      breadcrumbs: ['Bateaux', 'Voiliers'],
      properties: { Longueur: '10 m', 'Tirant d’eau': '1,5 m', Chantier: 'Sun Odyssey' },
      location: { city: 'Brest' },
      availability: 'InStock',
      language: 'fr',
      evidence: expect.objectContaining({ title: 'selector', images: 'selector', language: 'page' }),
    });
  });

  test('an attribute is asked with @, also after a selector that holds one', () => {
    const record = extractSelectors('<a title="me@home" href="/x">y</a>', PAGE, {
      brand: 'a[title="me@home"]',
      sku: 'a[title="me@home"]@href',
    });
    expect(record).toMatchObject({ brand: 'y', sku: 'https://ads.example/x' });
  });

  test('a selector that is no CSS throws an error that names its field', () => {
    expect(() => extractSelectors(html, PAGE, { title: 'h1[' })).toThrow(/selector of title .*h1\[/);
  });
});

describe('extractPage in selectors mode', () => {
  const data = `<script type="application/ld+json">{"@type": "Product", "name": "Data", "sku": "7", "offers": {"price": 9, "priceCurrency": "EUR"}}</script>`;

  test('selectors win, the rest of the page fills the gaps', () => {
    const [record] = extractPage(html + data, PAGE, { mode: 'selectors', selectors: { title: 'h2.t', price: '.p' } });
    expect(record).toMatchObject({ title: 'Voilier Sun Odyssey', price: '32 000 €', sku: '7' });
    expect(record?.evidence).toMatchObject({ title: 'selector', price: 'selector', sku: 'jsonld' });
  });

  test('a page on which they find neither title nor price gives no record', () => {
    expect(
      extractPage(html + data, PAGE, { mode: 'selectors', selectors: { title: '.none', price: '.none' } }),
    ).toEqual([]);
  });
});
