import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { loadSecrets } from '../../shared/kit/secrets.ts';
import { urlTo } from '../../shared/kit/site-links.ts';
import type { Demo } from './demo.ts';
import { DEMO_PASSWORD, SELLER_EMAIL } from './people.ts';

/** What to look at in a marketplace that is filled, as lines to print. */
export async function tell(demo: Demo, seconds: number | undefined): Promise<string> {
  const { config } = demo.services;
  const listing = await findShowpiece(demo);
  const admin = config.admin ?? keptAdmin(config.dataDir);
  const rows = [
    ['Home', urlTo(config.site, 'home', {})],
    ['Listing', listing ? urlTo(config.site, 'listing', { slug: listing.slug }) : ''],
    ['Seller', `${urlTo(config.site, 'sign_in', {})}   ${SELLER_EMAIL}, password ${DEMO_PASSWORD}`],
    ['Console', `${config.baseUrl}/admin   ${admin ? `${admin.email}, first password ${admin.password}` : ''}`],
    ['Docs', `${config.baseUrl}/api/docs`],
  ];
  const head =
    seconds === undefined
      ? 'This marketplace was filled before; nothing was added. To look at:'
      : `The demo is complete after ${seconds.toFixed(0)} s. To look at:`;
  return ['', head, ...rows.map(([name = '', value]) => `  ${name.padEnd(8)} ${value}`), ''].join('\n');
}

/** The administrator whom the embedded start has made. */
const keptAdmin = (dataDir: string) =>
  existsSync(join(dataDir, 'secrets.json')) ? loadSecrets(dataDir).admin : undefined;

/** A listing with a gallery and a price that has changed, else one of those that there are. */
export async function findShowpiece({ perform, now }: Demo) {
  const { body } = await perform(undefined, now, 'searchListings', { query: { sort: 'newest', limit: '100' } });
  const own = body.results
    .filter(({ images }) => images.length > 1)
    .toSorted((a, b) => b.images.length - a.images.length || b.views - a.views);
  for (const { slug } of own) {
    const { body: listing } = await perform(undefined, now, 'getListing', { params: { id: slug } });
    if ((listing.boat?.price_history ?? []).length > 1) return listing;
  }
  return own[0] ?? body.results[0];
}
