import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readContract } from '../../api/http/contract.ts';
import { startApp, type TestApp } from '../support/app.ts';
import {
  connectApplication,
  createKey,
  createListing,
  createPerson,
  type Person,
  secretOf,
} from '../support/openapi-cases-things.ts';
import { createWorld, readyRequest, rowsOf, type World } from '../support/openapi-cases-world.ts';
import { createConversation, createParty } from '../support/recipes/conversations.ts';
import { createSender, readCases, toWire, type Case, type Send } from '../support/openapi-cases.ts';
import { createBooking, createRental } from '../support/recipes/rentals.ts';
import { createNotice } from '../support/recipes/reports.ts';
import { createDraft } from '../support/recipes/rewriting.ts';
import { createSavedSearch } from '../support/recipes/saved-searches.ts';
import { createPasskeyOf, createSessionOf } from '../support/recipes/sign-in.ts';
import { createDeliveryOf, createWebhookOf } from '../support/recipes/webhooks.ts';
import { createResponseChecker } from '../support/response-check.ts';

/** Whose is what a path parameter names: somebody's own, or everybody's, or the administrators'. */
const ownership: Record<string, 'owned' | 'public' | 'admin'> = {
  ListingId: 'owned',
  FavoriteListingId: 'owned',
  SavedSearchId: 'owned',
  ApiKeyId: 'owned',
  SessionId: 'owned',
  PasskeyId: 'owned',
  ConnectedApplicationId: 'owned',
  ConversationId: 'owned',
  WebhookId: 'owned',
  DeliveryId: 'owned',
  DraftJobId: 'owned',
  ReviewId: 'public',
  RewriteLocale: 'public',
  RentalId: 'public',
  BookingId: 'owned',
  NoticeId: 'owned',
  ReportSubjectId: 'admin',
  AppealId: 'admin',
  UserId: 'public',
  BlockedUserId: 'public',
  SitemapName: 'public',
  SliceName: 'public',
  OperationId: 'public',
  // Whoever knows it may use it.
  CheckoutSessionId: 'public',
  ExportToken: 'public',
  CategoryId: 'public',
  KpiCategory: 'public',
  AssetTypeId: 'public',
  ScraperId: 'admin',
  PaymentId: 'admin',
  RunId: 'admin',
  LearningId: 'admin',
  PagePosition: 'admin',
  JobId: 'admin',
  QueueName: 'admin',
  DedupGroupId: 'admin',
};

const cases = readCases(readContract());
const byId = (each: Case) => [each.id, each] as const;
const inPath = ({ parameters }: Case) => parameters.filter((parameter) => parameter.in === 'path');
const ownedIn = (each: Case) => inPath(each).filter(({ component = '' }) => ownership[component] === 'owned');
const [owned, unowned] = [
  cases.filter((each) => ownedIn(each).length > 0),
  cases.filter((each) => ownedIn(each).length === 0),
];

let app: TestApp;
let world: World;
let send: Send;
/** Has private things only; what the requests need besides belongs to the world's owner. */
let victim: Person;
let strangersKey: string;
let secret: string;
/** What only the owner may see: each kind of parameter with the names it goes by. */
let secrets: Record<string, string[]>;
beforeAll(async () => {
  app = await startApp();
  world = await createWorld(app.services);
  send = createSender(app.url, createResponseChecker(app.services.contract));
  victim = await createPerson(app.services, 'user');
  secret = secretOf(victim);
  strangersKey = (await createKey(app.services, world.other, 'write')).key;
  const draft = await createListing(app.services, victim, 'draft');
  const rental = await createRental(app.services, victim);
  const webhook = await createWebhookOf(app.services, victim);
  secrets = {
    WebhookId: [webhook],
    DeliveryId: [await createDeliveryOf(app.services, webhook)],
    DraftJobId: [await createDraft(app.services, victim, 'completed')],
    BookingId: [await createBooking(app.services, rental.id, victim)],
    ListingId: [draft.id, draft.slug],
    FavoriteListingId: [draft.id, draft.slug],
    SavedSearchId: [await createSavedSearch(app.services, victim)],
    SessionId: [await createSessionOf(app.services, victim)],
    PasskeyId: [(await createPasskeyOf(app.services, victim)).id],
    ApiKeyId: [(await createKey(app.services, victim, 'read')).id],
    ConnectedApplicationId: [await connectApplication(app.services, victim)],
    NoticeId: [(await createNotice(app.services, victim)).notice],
    ConversationId: [await createConversation(app.services, victim, await createParty(app.services))],
  };
});
afterAll(async () => {
  await app.close();
});

describe('what belongs to somebody else', () => {
  test('every path parameter is known as owned, public or administrative, and the owned ones are tried', () => {
    const unknown = cases.flatMap(inPath).filter(({ component = '' }) => !(component in ownership));
    expect(unknown.map(({ name, component }) => component ?? name)).toEqual([]);
    expect(Object.keys(secrets).toSorted()).toEqual(
      Object.keys(ownership)
        .filter((name) => ownership[name] === 'owned')
        .toSorted(),
    );
  });

  test.each(owned.map(byId))('%s: 401, 403 or 404, nothing of it told, nothing changed', async (_id, each) => {
    const ready = await readyRequest(world, each);
    const before = await rowsOf(world, victim);
    const aims = ownedIn(each).flatMap(({ name, component = '' }) =>
      (secrets[component] ?? []).map((id) => ({ [name]: id })),
    );
    for (const aim of aims) {
      for (const token of [world.tokens.other, strangersKey, undefined]) {
        const reply = await send(toWire(each, { ...ready, params: { ...ready.params, ...aim }, token }));
        expect([401, 403, 404]).toContain(reply.status);
        expect(reply.text).not.toContain(secret);
      }
    }
    expect(aims.length).toBeGreaterThan(0);
    expect(await rowsOf(world, victim)).toEqual(before);
  });

  const naming = cases.filter(
    (each) => each.body && !each.operation.leastRole && each.statuses.includes(404) && inPath(each).length === 0,
  );
  test.each(naming.map(byId))('%s: a listing that others may not see is not there for them', async (_id, each) => {
    const ready = await readyRequest(world, each);
    const before = await rowsOf(world, victim);
    const named = (id: string) =>
      each.id === 'createReport' ? { subject_type: 'listing', subject_id: id } : { listing_id: id };
    for (const token of [world.tokens.other, strangersKey])
      for (const id of secrets['ListingId'] ?? []) {
        const body = { ...(ready.body as object), ...named(id) };
        const reply = await send(toWire(each, { ...ready, body, token }));
        expect(reply.status).toBe(404);
        expect(reply.text).not.toContain(secret);
      }
    expect(await rowsOf(world, victim)).toEqual(before);
  });

  const reads = unowned.filter(({ operation }) => operation.method === 'get' && !operation.leastRole);
  test.each(reads.map(byId))('%s lists nothing that is private to others', async (_id, each) => {
    const ready = await readyRequest(world, each);
    const queryNamed = (name: string) =>
      each.parameters.find((parameter) => parameter.in === 'query' && parameter.name === name);
    const hasQuery = (name: string) => queryNamed(name) !== undefined;
    const limit = String(queryNamed('limit')?.schema.maximum ?? 100);
    const wide: Record<string, string> = { status: 'all', seller_id: victim.id, q: 'kestrel', limit };
    const needed = ready.query.filter(([name]) => !(name in wide) && queryNamed(name)?.required);
    const queries = [
      ready.query,
      [...needed, ...Object.entries(wide).filter(([name]) => hasQuery(name))],
      [...needed, ...Object.entries(wide).filter(([name]) => name !== 'seller_id' && hasQuery(name))],
    ];
    for (const token of [world.tokens.other, strangersKey, ...(each.operation.auth.required ? [] : [undefined])]) {
      for (const query of queries) {
        // The link to an archive fetches it once.
        const { params } = each.id === 'downloadExport' ? await readyRequest(world, each) : ready;
        const reply = await send(toWire(each, { ...ready, params, query, token }));
        // What is refused lists nothing at all.
        expect(each.statuses.includes(403) ? [200, 403] : [200]).toContain(reply.status);
        expect(reply.text).not.toContain(secret);
      }
    }
  });

  test('publishBulk leaves the drafts of others alone, named or matched', async () => {
    const before = await rowsOf(world, victim);
    for (const token of [world.tokens.other, strangersKey]) {
      const byName = await app.as(token).post('/api/ingest/publish-bulk', { ids: secrets['ListingId'] });
      const byMatch = await app.as(token).post(`/api/ingest/publish-bulk?seller_id=${victim.id}`, {});
      expect([byName, byMatch].map(({ status, body }) => [status, body.published])).toEqual([
        [200, 0],
        [200, 0],
      ]);
      expect(byName.text + byMatch.text).not.toContain(secret);
    }
    expect(await rowsOf(world, victim)).toEqual(before);
  });
});
