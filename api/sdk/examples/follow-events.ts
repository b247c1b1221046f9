// Follows sales, from the oldest that is kept on and then live; this one ends after the first. Whoever keeps `seq` and begins with it
// as `after` goes on where they were.
import { createClient, followEvents } from 'quayside';

const client = createClient({
  baseUrl: process.env['QUAYSIDE_URL'] ?? 'http://localhost:3000',
  token: process.env['QUAYSIDE_TOKEN'],
});

for await (const { seq, data } of followEvents(client, { after: 0, type: 'listing.sold' })) {
  console.log(`${seq}: ${data.title} was sold for ${data.price.amount} ${data.price.currency}`);
  break;
}
