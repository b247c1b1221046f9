import type { Handler } from '../handler.ts';

/** The last 500 requests of all API processes, newest first. */
export const listRecentRequests: Handler<'listRecentRequests'> = async ({ recentRequests }) => ({
  status: 200,
  body: { results: await recentRequests.read() },
});
