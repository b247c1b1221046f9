import { asList, type FeedMapping, type FeedSettings } from './mapping.ts';

type Preset = Omit<FeedSettings, 'preset' | 'mode'>;

const features = 'advert_features';

/** OpenMarine 1.x and 2.0, the XML of boat brokers: `open_marine > broker > adverts > advert`. */
const openmarine: Preset = {
  format: 'xml',
  items: ['open_marine/broker/adverts/advert', '//adverts/advert'],
  fields: {
    url: [`${features}/other/item[@name=external_url]`, 'boat_features/item[@name=external_url]'],
    // Refs are unique within their broker.
    id: { template: '{../../@code?}-{@ref}' },
    title: [
      { template: `{${features}/manufacturer} {${features}/model}` },
      `${features}/title`,
      `${features}/model`,
      'boat_features/item[@name=boat_name]',
    ],
    description: [`${features}/marketing_descs/marketing_desc`, 'boat_features/item[@name=owners_comment]'],
    language: `${features}/marketing_descs/marketing_desc/@language`,
    price: {
      path: `${features}/asking_price`,
      unless: {
        path: [`${features}/asking_price/@poa`, `${features}/asking_price/@hide_price`],
        equals: ['true', '1', 'yes'],
      },
    },
    currency: `${features}/asking_price/@currency`,
    sku: '@ref',
    brand: `${features}/manufacturer`,
    model: `${features}/model`,
    condition: `${features}/new_or_used`,
    availability: {
      path: '@status',
      map: { 'under offer': 'LimitedAvailability', underoffer: 'LimitedAvailability', available: 'InStock' },
    },
    breadcrumbs: [
      { template: 'Boats' },
      {
        path: `${features}/boat_type`,
        map: { power: 'Motor boats', motor: 'Motor boats', sail: 'Sailing boats', sailing: 'Sailing boats' },
      },
      `${features}/boat_category`,
    ],
    images: 'advert_media/media',
    location: `${features}/vessel_lying`,
    country: `${features}/vessel_lying/@country`,
  },
  properties: {
    VAT: { path: `${features}/asking_price/@vat_included`, map: { true: 'included', false: 'not included' } },
  },
  facts: [
    {
      path: ['boat_features/item', 'boat_features/*/item'],
      label: '@name',
      unit: '@unit',
      labels: {
        boat_name: 'Name',
        engine_manufacturer: 'Engine manufacturer',
        engine_quantity: 'Number of engines',
        external_url: '',
        horse_power: 'Engine power (hp)',
        hull_construction: 'Hull material',
        owners_comment: '',
        tankage: 'Fuel capacity',
        where: 'Built in',
      },
    },
  ],
  deleted: { path: '@status', equals: ['deleted', 'withdrawn', 'removed', 'inactive', 'archived'] },
};

/** Google Merchant's product data: RSS 2.0 or Atom with `g:` fields, or the same names as columns. */
const googleMerchant: Preset = {
  format: 'auto',
  items: ['rss/channel/item', 'feed/entry', '//channel/item', '//item'],
  fields: {
    url: ['link/@href', 'g:link', 'link'],
    id: ['g:id', 'id', 'guid'],
    title: ['g:title', 'title'],
    description: ['g:description', 'description', 'summary', 'content'],
    price: ['sale_price', 'price'],
    brand: 'brand',
    gtin: 'gtin',
    availability: 'availability',
    condition: 'condition',
    category: ['product_type', 'google_product_category'],
    images: ['image_link', 'additional_image_link'],
  },
  properties: {
    MPN: 'mpn',
    Color: 'color',
    Size: 'size',
    Material: 'material',
    Pattern: 'pattern',
    Gender: 'gender',
    'Age group': 'age_group',
    Weight: ['product_weight', 'shipping_weight'],
    Length: 'product_length',
    Width: 'product_width',
    Height: 'product_height',
    Mileage: 'mileage',
    Year: ['year', 'model_year'],
  },
  facts: [{ path: 'product_detail', label: 'attribute_name', value: 'attribute_value' }],
};

/** A table with a header of usual names. Other columns become facts. */
const csv: Preset = {
  format: 'csv',
  fields: {
    url: ['url', 'link', 'product_url', 'page_url', 'deeplink'],
    id: ['id', 'item_id', 'product_id', 'listing_id', 'ref', 'reference', 'sku'],
    title: ['title', 'name', 'product_name', 'headline'],
    description: ['description', 'long_description', 'text', 'body'],
    price: ['price', 'asking_price', 'amount'],
    currency: ['currency', 'price_currency'],
    sku: ['sku', 'article_number'],
    brand: ['brand', 'make', 'manufacturer', 'maker'],
    model: 'model',
    gtin: ['gtin', 'ean', 'upc', 'isbn'],
    availability: ['availability', 'stock', 'stock_status'],
    condition: ['condition', 'new_or_used'],
    category: ['category', 'product_type', 'google_product_category', 'type'],
    images: ['images', 'image_urls', 'image', 'image_url', 'image_link', 'additional_image_link', 'photos', 'photo'],
    language: ['language', 'lang'],
    location: ['location', 'place'],
    country: ['country', 'country_code'],
    region: ['region', 'state', 'province'],
    city: ['city', 'town'],
    postal_code: ['postal_code', 'postcode', 'zip', 'zip_code'],
    lat: ['lat', 'latitude'],
    lng: ['lng', 'lon', 'longitude'],
  },
  other_fields: true,
  deleted: [
    { path: ['action', 'status'], equals: ['delete', 'deleted', 'remove', 'removed'] },
    { path: 'deleted', equals: ['true', '1', 'yes'] },
  ],
};

export const feedPresetMappings = { openmarine, 'google-merchant': googleMerchant, csv } as const;

/** The mapping that settings mean: of each part their own, else that of their preset; fields and properties one by one. */
export function resolveMapping(settings: FeedSettings): FeedMapping {
  const preset: Partial<Preset> = settings.preset === null ? {} : feedPresetMappings[settings.preset];
  const merged = <T>(own: Record<string, T> | undefined, other: Record<string, T> | undefined) =>
    Object.fromEntries(Object.entries({ ...other, ...own }).map(([name, sources]) => [name, asList(sources)]));
  return {
    format: settings.format === 'auto' ? (preset.format ?? 'auto') : settings.format,
    items: asList(settings.items ?? preset.items),
    fields: merged(settings.fields, preset.fields) as FeedMapping['fields'],
    properties: merged(settings.properties, preset.properties) as FeedMapping['properties'],
    facts: settings.facts ?? preset.facts ?? [],
    otherFields: settings.other_fields ?? preset.other_fields ?? false,
    deleted: asList(settings.deleted === undefined ? preset.deleted : settings.deleted),
  };
}
