import type { RawRecord } from '../../shared/normalize/record-type.ts';
import { itemsOf, textFrom, propertyValues } from './items.ts';
import type { Item } from './items.ts';

type RawLocation = NonNullable<RawRecord['location']>;

/** Where an item is: its own place first, then that of its offer, then the seller's address. */
export function mapLocation(product: Item): RawLocation | undefined {
  const offers = itemsOf(product, 'offers', 'offer');
  const own = [product, ...itemsOf(product, 'itemlocation', 'location', 'contentlocation', 'availableatorfrom')];
  const offered = offers.flatMap((offer) => itemsOf(offer, 'availableatorfrom', 'itemlocation', 'location'));
  const sellers = [product, ...offers].flatMap((item) => itemsOf(item, 'seller', 'offeredby', 'provider'));
  for (const place of [...own, ...offered, ...sellers]) {
    const location = mapPlace(place);
    if (location) return location;
  }
  const text = [product, ...offers].map((item) => placeText(item)).find((name) => name !== undefined);
  return text === undefined ? undefined : { text };
}

function mapPlace(place: Item): RawLocation | undefined {
  const address = itemsOf(place, 'address')[0] ?? (place.types.includes('postaladdress') ? place : undefined);
  const geo = itemsOf(place, 'geo')[0] ?? place;
  const text = propertyValues(place, 'address').find((value) => typeof value === 'string');
  const location: RawLocation = {
    country: address && textFrom(address, 'addresscountry'),
    region: address && textFrom(address, 'addressregion'),
    city: address && textFrom(address, 'addresslocality'),
    postalCode: address && textFrom(address, 'postalcode'),
    lat: coordinate(textFrom(geo, 'latitude')),
    lng: coordinate(textFrom(geo, 'longitude')),
    text: text?.trim(),
  };
  const found = Object.entries(location).filter(([, value]) => value !== undefined && value !== '');
  return found.length > 0 ? Object.fromEntries(found) : undefined;
}

function placeText(item: Item): string | undefined {
  const names = ['itemlocation', 'location', 'availableatorfrom', 'areaserved'];
  return textFrom(item, ...names);
}

function coordinate(text: string | undefined): number | undefined {
  const value = Number(text?.replace(',', '.'));
  return text === undefined || !Number.isFinite(value) ? undefined : value;
}
