import type { Services } from '../../../api/services.ts';
import type { OperationId } from '../../../api/http/contract.ts';
import { newId } from '../../../shared/kit/ids.ts';
import { createListing, createPerson, secretOf, type Person } from '../openapi-cases-things.ts';
import { createParty } from './conversations.ts';
import type { Recipe } from './recipe.ts';

/** A hidden listing of that person with the notice that tells of it, its facts marked as secret. */
export async function createNotice(
  services: Services,
  { id: user_id }: Person,
): Promise<{ notice: string; listing: string }> {
  const { id: listing } = await createListing(services, { id: user_id } as Person, 'flagged');
  const notice = newId('notice');
  await services.db
    .insertInto('notices')
    .values({
      id: notice,
      user_id,
      subject_type: 'listing',
      subject_id: listing,
      subject_title: 'A sound boat',
      restriction: 'listing_hidden',
      facts: secretOf({ id: user_id }),
      reports: 1,
      automated_detection: false,
      automated_decision: false,
      ground: 'terms',
      rule: 'fraud',
      created_at: services.clock.now(),
    })
    .execute();
  return { notice, listing };
}

async function createAppeal(services: Services): Promise<string> {
  const owner = await createParty(services);
  const { notice } = await createNotice(services, owner);
  const id = newId('appeal');
  await services.db
    .insertInto('appeals')
    .values({ id, notice_id: notice, user_id: owner.id, text: 'It is mine.', created_at: services.clock.now() })
    .execute();
  return id;
}

/** A listing of somebody that somebody else has reported. */
async function createReported(services: Services): Promise<string> {
  const { id } = await createListing(services, await createParty(services), 'active');
  const reporter = await createParty(services);
  await services.db
    .insertInto('flags')
    .values({
      id: newId('flag'),
      listing_id: id,
      reporter_id: reporter.id,
      reason: 'fraud',
      created_at: services.clock.now(),
    })
    .execute();
  return id;
}

const ofReported: Recipe = async ({ services }) => ({ params: { subjectId: await createReported(services) } });

/** What requests about reports need: things that were reported, restricted or appealed. */
export const reportRecipes: Partial<Record<OperationId, Recipe>> = {
  createReport: async ({ services }, example) => ({
    body: { ...(example as object), subject_id: (await createPerson(services, 'user')).id },
  }),
  appealNotice: async ({ services, owner }) => ({ params: { id: (await createNotice(services, owner)).notice } }),
  appealListing: async ({ services, owner }) => ({ params: { id: (await createNotice(services, owner)).listing } }),
  getReportedSubject: ofReported,
  decideReport: ofReported,
  decideAppeal: async ({ services }) => ({ params: { appealId: await createAppeal(services) } }),
};
