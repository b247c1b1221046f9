import { invalid } from '../../shared/kit/errors.ts';
import { searchedWords } from '../../shared/tracking/tracked-event.ts';
import { isCrawler } from '../counting/crawlers.ts';
import type { Body } from '../http/types.ts';
import type { Handler } from '../handler.ts';

const MAX_AGENT_LENGTH = 512;
const MAX_METADATA_BYTES = 8_192;
const MAX_METADATA_DEPTH = 5;
/** Apps name themselves as referrers in schemes of their own; addresses that are kept are those of the web. */
const webAddress = /^https?:\/\//i;

/** Notes one event of a front end. Crawlers are answered the same, and what they send is forgotten. */
export const trackEvent: Handler<'trackEvent'> = (services, { body, caller, userAgent }) => {
  const metadata = storable(body.metadata);
  const agent = body.user_agent ?? userAgent.slice(0, MAX_AGENT_LENGTH);
  if (!isCrawler(agent) && !isCrawler(userAgent)) {
    services.tracker.note({
      event: body.event,
      path: body.path ?? null,
      referrer: body.referrer !== undefined && webAddress.test(body.referrer) ? body.referrer : null,
      user_agent: agent,
      user_id: caller && body.user_id === caller.userId ? caller.userId : null,
      listing_id: body.listing_id ?? null,
      query: searchedWords(body.query),
      results_count: body.results_count ?? null,
      metadata,
      created_at: services.clock.now(),
    });
  }
  return { status: 200, body: { ok: true } };
};

/** The metadata as they are stored; 400 for more than an event needs. */
function storable(metadata: Body<'trackEvent'>['metadata']): string | null {
  if (metadata === undefined) return null;
  const text = JSON.stringify(metadata);
  const fault =
    Buffer.byteLength(text) > MAX_METADATA_BYTES
      ? `must not take more than ${MAX_METADATA_BYTES} bytes as JSON`
      : depthOf(metadata) > MAX_METADATA_DEPTH
        ? `must not be nested more than ${MAX_METADATA_DEPTH} levels deep`
        : undefined;
  if (fault !== undefined) throw invalid('The metadata are too much.', [{ path: '/body/metadata', message: fault }]);
  return text;
}

function depthOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  return 1 + Math.max(0, ...Object.values(value).map(depthOf));
}
