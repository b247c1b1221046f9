import { inTransaction } from '../../db/client.ts';
import { recordEvents, type NewEvent } from '../../shared/journal/events.ts';
import { readFeed } from '../../shared/journal/feed.ts';
import { newId } from '../../shared/kit/ids.ts';
import type { TestApp, TestUser } from './app.ts';
import { eventually } from './waiting.ts';

/** An event about a listing of that user, who owns it. */
export const eventOf = (owner: TestUser, fields: Partial<NewEvent> = {}): NewEvent => ({
  type: 'listing.updated',
  subject: newId('listing'),
  ownerId: owner.id,
  data: { title: 'line\nbreak, ä and 船' },
  ...fields,
});

/** Writes events in one transaction. */
export const writeEvents = ({ database, services }: TestApp, ...events: NewEvent[]): Promise<void> =>
  inTransaction(database.db, (tx) => recordEvents(tx, services.clock.now(), events));

/** Writes the first events of a user and waits until the feed tells them: nothing older is being written anywhere then. */
export async function writeFinalEvents(app: TestApp, owner: TestUser, count: number): Promise<void> {
  await writeEvents(app, ...Array.from({ length: count }, () => eventOf(owner)));
  const asked = { ownerId: owner.id, after: 0, limit: count };
  await eventually(async () => (await readFeed(app.services.pool, asked)).events.length === count);
}
