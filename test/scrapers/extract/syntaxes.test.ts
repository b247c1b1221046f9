import { describe, expect, test } from 'vitest';
import { extractStructured } from '../../../scrapers/extract/structured.ts';

const URL_OF_PAGE = 'https://boats.example/ads/77';

const jsonld = `<script type="application/ld+json">{
  "@context": "https://schema.org", "@type": ["Product", "Vehicle"], "@id": "#boat",
  "name": "Bavaria 38 Cruiser", "sku": "B-77", "description": "Well kept.",
  "brand": {"@type": "Brand", "name": "Bavaria"}, "image": ["/img/1.jpg", {"@type": "ImageObject", "contentUrl": "/img/2.jpg"}],
  "offers": {"@type": "Offer", "price": 84500, "priceCurrency": "EUR", "availability": "https://schema.org/InStock",
    "itemCondition": "https://schema.org/UsedCondition",
    "availableAtOrFrom": {"@type": "Place", "address": {"@type": "PostalAddress", "addressLocality": "Kiel", "addressCountry": "DE", "postalCode": "24159"}}},
  "additionalProperty": [{"@type": "PropertyValue", "name": "Length", "value": 11.99, "unitCode": "MTR"}]
}</script>`;

const microdata = `<div itemscope itemtype="https://schema.org/Product">
  <h1 itemprop="name">Bavaria 38 Cruiser</h1><meta itemprop="sku" content="B-77">
  <p itemprop="description">Well kept.</p>
  <span itemprop="brand" itemscope itemtype="https://schema.org/Brand"><b itemprop="name">Bavaria</b></span>
  <img itemprop="image" src="/img/1.jpg"><img itemprop="image" src="/img/2.jpg">
  <div itemprop="offers" itemscope itemtype="https://schema.org/Offer">
    <span itemprop="price" content="84500">84.500 €</span><meta itemprop="priceCurrency" content="EUR">
    <link itemprop="availability" href="https://schema.org/InStock"><link itemprop="itemCondition" href="https://schema.org/UsedCondition">
    <div itemprop="availableAtOrFrom" itemscope itemtype="https://schema.org/Place">
      <div itemprop="address" itemscope itemtype="https://schema.org/PostalAddress">
        <span itemprop="postalCode">24159</span> <span itemprop="addressLocality">Kiel</span> <meta itemprop="addressCountry" content="DE">
      </div></div></div>
  <div itemprop="additionalProperty" itemscope itemtype="https://schema.org/PropertyValue">
    <span itemprop="name">Length</span>: <span itemprop="value">11.99</span> <meta itemprop="unitCode" content="MTR"></div>
</div>`;

const rdfa = microdata
  .replaceAll(/itemscope itemtype="https:\/\/schema.org\/(\w+)"/g, 'typeof="$1"')
  .replaceAll('itemprop=', 'property=')
  .replace('<div typeof="Product"', '<div vocab="https://schema.org/" typeof="Product"');

describe('one product in three syntaxes', () => {
  test.each([
    ['jsonld', jsonld],
    ['microdata', microdata],
    ['rdfa', rdfa],
  ])('%s gives every field', (source, markup) => {
    const records = extractStructured(`<html><body>${markup}</body></html>`, URL_OF_PAGE);
    expect(records).toHaveLength(1);
    const { evidence, ...record } = records[0] ?? { url: '' };
    expect(record).toEqual({
      url: URL_OF_PAGE,
      title: 'Bavaria 38 Cruiser',
      description: 'Well kept.',
      price: '84500',
      currency: 'EUR',
      sku: 'B-77',
      brand: 'Bavaria',
      availability: 'InStock',
      condition: expect.stringMatching(/UsedCondition$/),
      images: [{ url: 'https://boats.example/img/1.jpg' }, { url: 'https://boats.example/img/2.jpg' }],
      location: { city: 'Kiel', country: 'DE', postalCode: '24159' },
      properties: { Length: '11.99 m' },
    });
    expect(evidence?.price).toBe(source);
  });
});

test('JSON-LD in a @graph, with references by @id across scripts, is one product', () => {
  const html = `
    <script type="application/ld+json">{"@graph": [
      {"@type": "ItemPage", "mainEntity": {"@id": "#p"}},
      {"@type": "Product", "@id": "#p", "name": "Anchor", "offers": {"@id": "#o"}},
      {"@type": "Product", "@id": "#other", "name": "Rope", "image": "/r.jpg", "offers": {"@type": "Offer", "price": "9"}}]}</script>
    <script type="application/ld+json">{"@type": "Offer", "@id": "#o", "price": "49.90", "priceCurrency": "GBP"}</script>`;
  expect(extractStructured(html, URL_OF_PAGE)).toMatchObject([{ title: 'Anchor', price: '49.90', currency: 'GBP' }]);
});

test('JSON-LD that refers to itself ends', () => {
  const html = `<script type="application/ld+json">{"@type": "Product", "@id": "a", "name": "Loop", "isRelatedTo": {"@id": "a"},
    "offers": {"@type": "Offer", "price": 5, "itemOffered": {"@id": "a"}}}</script>`;
  expect(extractStructured(html, URL_OF_PAGE)).toMatchObject([{ title: 'Loop', price: '5' }]);
});

test('a JSON number of three decimals is no thousand', () => {
  const html = `<script type="application/ld+json">{"@type": "Product", "name": "Oil", "offers": {"@type": "Offer", "price": 12.345}}</script>`;
  expect(extractStructured(html, URL_OF_PAGE)[0]?.price).toBe('12.3450');
});

test('microdata spread over the page by itemref belongs to its item', () => {
  const html = `
    <div itemscope itemtype="http://schema.org/Product" itemref="price info"><span itemprop="name">Winch</span></div>
    <p id="info">By <b itemprop="brand">Harken</b></p>
    <div id="price" itemprop="offers" itemscope itemtype="http://schema.org/Offer"><i itemprop="price">120,00</i></div>`;
  expect(extractStructured(html, URL_OF_PAGE)).toMatchObject([{ title: 'Winch', brand: 'Harken', price: '120,00' }]);
});

test('an offer that broken markup left beside its product is adopted', () => {
  const html = `
    <div itemscope itemtype="http://schema.org/Product"><h1 itemprop="name">Winch</h1><img itemprop="image" src="/w.jpg"></div>
    <div itemscope itemtype="http://schema.org/Offer"><span itemprop="price">99</span></div>`;
  expect(extractStructured(html, URL_OF_PAGE)).toMatchObject([{ title: 'Winch', price: '99' }]);
});

test('placeholders that no template filled in are no values', () => {
  const html = `<script type="application/ld+json">{"@type": "Product", "name": "Sail", "brand": "{{ product.brand }}",
    "sku": "null", "model": "$model", "offers": {"price": 10}}</script>`;
  const [record] = extractStructured(html, URL_OF_PAGE);
  expect(record).toMatchObject({ title: 'Sail', price: '10' });
  expect(record).not.toHaveProperty('brand');
  expect(record).not.toHaveProperty('sku');
  expect(record).not.toHaveProperty('model');
});

test('a car keeps its engine, mileage and first registration as labelled facts', () => {
  const html = `<script type="application/ld+json">{"@type": "Car", "name": "BMW i4", "mileageFromOdometer":
    {"@type": "QuantitativeValue", "value": 790, "unitCode": "KMT"}, "productionDate": "2022-08-01", "offers": {"price": 34990},
    "vehicleEngine": {"@type": "EngineSpecification", "fuelType": "Strom", "enginePower": [{"value": 340, "unitCode": "BHP"}, {"value": 250, "unitCode": "KWT"}]}}</script>`;
  expect(extractStructured(html, URL_OF_PAGE)[0]?.properties).toEqual({
    mileageFromOdometer: '790 km',
    productionDate: '2022-08-01',
    fuelType: 'Strom',
    enginePower: '340 hp / 250 kW',
  });
});

test('a label named __proto__ is left out', () => {
  const html = `<script type="application/ld+json">{"@type": "Product", "name": "X y", "offers": {"price": 1}, "additionalProperty":
    [{"name": "__proto__", "value": "x"}, {"name": "Colour", "value": "red"}]}</script>`;
  expect(extractStructured(html, URL_OF_PAGE)[0]?.properties).toEqual({ Colour: 'red' });
});

test('breadcrumbs read from the root to the leaf by position', () => {
  const html = `${jsonld}<script type="application/ld+json">{"@type": "BreadcrumbList", "itemListElement": [
    {"@type": "ListItem", "position": 2, "name": "Sailboats"}, {"@type": "ListItem", "position": 1, "item": {"@id": "/", "name": "Boats"}}]}</script>`;
  expect(extractStructured(html, URL_OF_PAGE)[0]?.breadcrumbs).toEqual(['Boats', 'Sailboats']);
});

test('megabytes in a field are cut, and lines joined', () => {
  const data = {
    '@type': 'Product',
    name: `A\n  thing ${'x'.repeat(50_000)}`,
    description: 'y'.repeat(300_000),
    offers: { price: ' 71,91 €\n\n 79,90 €' },
  };
  const [record] = extractStructured(
    `<script type="application/ld+json">${JSON.stringify(data)}</script>`,
    URL_OF_PAGE,
  );
  expect(record?.title).toMatch(/^A thing x{900,}$/);
  expect(record?.title?.length).toBe(1_000);
  expect(record?.description?.length).toBe(100_000);
  expect(record?.price).toBe('71,91 € 79,90 €');
});
