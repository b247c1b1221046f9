// Uploads a photo, creates a draft and publishes it. A lost connection repeats none of it: the client sends Idempotency-Keys.
import { readFile } from 'node:fs/promises';
import { createClient, unwrap, uploadFile } from 'quayside';

const client = createClient({
  baseUrl: process.env['QUAYSIDE_URL'] ?? 'http://localhost:3000',
  token: process.env['QUAYSIDE_TOKEN'],
});

const photo = await uploadFile(client, new Blob([await readFile(process.argv[2] ?? 'boat.jpg')]), { name: 'boat.jpg' });
const draft = await unwrap(
  client.POST('/api/listings', {
    body: {
      title: 'Bavaria 37 Cruiser, one owner',
      description: 'Well kept cruising yacht from 2015 with new sails and a serviced engine, lying afloat in Kiel.',
      category_id: 'sailboats',
      condition: 'good',
      price: { amount: 89_000, currency: 'EUR', negotiable: true },
      location: { country: 'DE', city: 'Kiel', shipping: false },
      attributes: { brand: 'Bavaria', year: 2015, length: 11.3 },
      images: [photo],
    },
  }),
);
const { slug, status } = await unwrap(
  client.POST('/api/listings/{id}/publish', { params: { path: { id: draft.id } } }),
);
console.log(`${slug} is ${status}`);
