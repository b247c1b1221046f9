import { findAllListings } from '../../shared/admin/find-listings.ts';
import { findThings } from '../../shared/admin/find-anything.ts';
import { readJob } from '../../shared/queues/inspect.ts';
import type { Result } from '../http/types.ts';
import type { Handler } from '../handler.ts';

type Found = Result<'findAnything', 200>['results'][number];

const everyStatus = ['draft', 'active', 'paused', 'sold', 'expired', 'flagged', 'suspended', 'deleted'];
const uuid = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i;
const MAX_LISTINGS = 8;

/** Whatever goes by that id or name: first what is called exactly so. */
export const findAnything: Handler<'findAnything'> = async ({ db }, { query: { q } }) => {
  const words = q.trim();
  const [{ rows: listings }, things, job] = await Promise.all([
    findAllListings(db, { q: words, statuses: everyStatus }, { order: 'newest', limit: MAX_LISTINGS }),
    findThings(db, words),
    uuid.test(words) ? readJob(db, words) : undefined,
  ]);
  const results: Found[] = [
    ...listings.map(({ id, title, status, seller_name: seller }) => ({
      kind: 'listing' as const,
      id,
      title,
      note: `${status}, ${seller}`,
    })),
    ...things,
    ...(job ? [{ kind: 'job' as const, id: job.id, title: job.name, note: job.state }] : []),
  ];
  const isExact = (thing: Found) => namesOf(thing).some((name) => name.toLowerCase() === words.toLowerCase());
  return { status: 200, body: { results: [...results.filter(isExact), ...results.filter((each) => !isExact(each))] } };
};

/** What a thing is called in full: an account by its address too. */
const namesOf = ({ kind, id, title, note }: Found) => (kind === 'user' ? [id, title, note] : [id, title]);
