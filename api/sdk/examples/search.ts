// Finds boats, page after page, with the types of the contract.
import { createClient, paginate, unwrap } from 'quayside';

const client = createClient({ baseUrl: process.env['QUAYSIDE_URL'] ?? 'http://localhost:3000' });

const query = { q: 'bavaria', category: ['sailboats'], sort: 'price_asc' as const };
for await (const { title, price } of paginate(client, '/api/listings', { params: { query } })) {
  console.log(`${title}: ${price.amount} ${price.currency}`);
}

// One page alone, with its facets. `unwrap` throws the ApiError; without it there is `{data, error, response}`.
const { facets } = await unwrap(
  client.GET('/api/listings', { params: { query: { ...query, facets: 'category', limit: 1 } } }),
);
console.log(JSON.stringify(facets?.['category']));
