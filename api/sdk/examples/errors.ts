// Branches on what went wrong.
import { createClient } from 'quayside';

const client = createClient({
  baseUrl: process.env['QUAYSIDE_URL'] ?? 'http://localhost:3000',
  retry: { maxAttempts: 3 },
});

const { data, error } = await client.GET('/api/listings/{id}', { params: { path: { id: 'no-such-boat' } } });
if (error?.code === 'not_found') console.log(`It is gone (request ${error.requestId}).`);
else if (error?.code === 'rate_limited') console.log(`Too fast: again in ${error.retryAfter} seconds.`);
else if (error) throw error;
else console.log(data.title);
