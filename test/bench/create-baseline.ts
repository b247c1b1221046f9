import { buffer } from 'node:stream/consumers';
import { Pool } from 'pg';
import { ulid } from 'ulid';
import { serveBare } from './bare-server.ts';

// What creating a listing is measured against: node:http and pg alone. It stores the same rows with their event and
// their job, in one transaction and as prepared statements; it checks nothing and answers with what it was sent.

type Body = {
  title: string;
  description: string;
  category_id: string;
  condition: string;
  price: { amount: number; currency: string; negotiable: boolean };
  location: { country: string; city: string; shipping: boolean };
  attributes: Record<string, unknown>;
  tags: string[];
  images: { url: string }[];
};

const seller = process.env.SELLER ?? '';
const pool = new Pool({ connectionString: process.env.DATABASE_URL, max: 10 });
pool.on('error', () => {});

async function create(body: Body): Promise<string> {
  const { title, description, category_id, condition, price, location, attributes, tags } = body;
  const id = `lst_${ulid()}`;
  const slug = `${title.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')}-${id.slice(-6).toLowerCase()}`;
  const now = new Date();
  const row = [id, slug, seller, category_id, condition, title, price.amount, price.currency, price.negotiable];
  const client = await pool.connect();
  try {
    await client.query('begin');
    await client.query({
      name: 'listing',
      text: `insert into listings (id, slug, seller_id, category_id, status, type, condition, title, price_amount, price_currency,
               price_negotiable, country, city, shipping, year, length_m, source, language, created_at, updated_at, expires_at,
               tags, attributes, description)
             values ($1, $2, $3, $4, 'draft', 'sale', $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, 'api', 'en', $15, $15, $16, $17, $18, $19)`,
      values: [
        ...row,
        location.country,
        location.city,
        location.shipping,
        attributes.year ?? null,
        attributes.length ?? null,
        now,
        new Date(now.getTime() + 30 * 86_400_000),
        tags,
        JSON.stringify(attributes),
        description,
      ],
    });
    await client.query({
      name: 'event',
      text: `insert into events (type, subject, owner_id, data, created_at) values ('listing.created', $1, $2, $3, $4)`,
      values: [id, seller, JSON.stringify({ listing_id: id, slug, title, status: 'draft', category_id, price }), now],
    });
    await client.query({
      name: 'picture',
      text: `insert into listing_images (listing_id, source_url, position, status, updated_at) values ($1, $2, 0, 'pending', $3)`,
      values: [id, body.images[0]?.url, now],
    });
    await client.query({
      name: 'job',
      text: `insert into pgboss.job (name, data, singleton_key) values ('localize-images', $1, $2)`,
      values: [JSON.stringify({ listing_id: id }), id],
    });
    await client.query('commit');
  } finally {
    client.release();
  }
  return JSON.stringify({ id, slug, ...body });
}

serveBare(
  async (request) => {
    const bytes = await buffer(request);
    return request.method === 'POST' ? create(JSON.parse(bytes.toString()) as Body) : '{}';
  },
  ({ method }) => (method === 'POST' ? 201 : 200),
);
