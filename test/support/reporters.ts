import { DAY_MS } from '../../shared/kit/clock.ts';
import type { TestApp, TestUser } from './app.ts';

/** Somebody whose account is older than a day: their reports count towards hiding a listing. */
export async function createReporter(app: TestApp): Promise<TestUser> {
  const user = await app.createUser();
  const bornAt = new Date(app.services.clock.now().getTime() - 2 * DAY_MS);
  await app.database.pool.query('update users set created_at = $2 where id = $1', [user.id, bornAt]);
  return user;
}

/** Three people report a listing, which hides it; the answer to the last of them. */
export async function reportUntilHidden(app: TestApp, listing: string, reason = 'spam') {
  const [first, second, third] = [await createReporter(app), await createReporter(app), await createReporter(app)];
  const report = (who: TestUser) => app.as(who).post(`/api/listings/${listing}/flag`, { reason });
  await report(first);
  await report(second);
  return report(third);
}
