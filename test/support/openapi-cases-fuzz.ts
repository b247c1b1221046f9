import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import fc from 'fast-check';
import type { OperationId } from '../../api/http/contract.ts';
import type { Services } from '../../api/services.ts';
import { isEmail } from '../../shared/kit/email.ts';
import { inspectReply } from './openapi-cases-inspect.ts';
import { bodyChange, headerChange, pathChange, queryChange, rawChange, type Changed } from './openapi-cases-changes.ts';
import {
  createSender,
  encodeText,
  readCases,
  readErrorCodes,
  schemaContext,
  toWire,
  type Case,
  type Parameter,
  type Parts,
  type Reply,
  type Send,
} from './openapi-cases.ts';
import {
  connectApplication,
  createJob,
  createKey,
  createListing,
  createRun,
  createScraper,
} from './openapi-cases-things.ts';
import { formChange, formsOf } from './openapi-cases-forms.ts';
import { hintsOf, queryHintsOf } from './openapi-cases-hints.ts';
import { createCheckout, createPayment } from './recipes/premium.ts';
import { createWorld, entitledCaller, readyRequest, restoreSessions, type World } from './openapi-cases-world.ts';
import { encodeJson } from './arbitrary-mutation.ts';
import { createConversation } from './recipes/conversations.ts';
import { createDedupGroup } from './recipes/dedup.ts';
import { createReview } from './recipes/reviews.ts';
import { arbitraryOf, type SchemaContext } from './arbitrary.ts';
import { createBooking, createRental } from './recipes/rentals.ts';
import { createDraft } from './recipes/rewriting.ts';
import { createSavedSearch } from './recipes/saved-searches.ts';
import { createCategory } from './recipes/settings.ts';
import { createReimport } from './recipes/reimports.ts';
import { createQuarantinedRun } from './recipes/scrapers.ts';
import { createDeliveryOf, createWebhookOf } from './recipes/webhooks.ts';
import { createResponseChecker } from './response-check.ts';
import { scaled } from './machine.ts';

type App = { url: string; services: Services };
export type FuzzReport = { operation: OperationId; runs: number; seed: number; statuses: Record<number, number> };
type Bench = {
  world: World;
  send: Send;
  cases: Case[];
  context: SchemaContext;
  /** What exists, by kind of path parameter, or by operation and kind. */
  ids: Record<string, string[]>;
  codes: Map<number, Set<string>>;
  validators: (each: Case) => ValidateFunction;
};

const benches = new WeakMap<Services, Promise<Bench>>();

/**
 * Sends `runs` requests made from the operation's part of openapi.yaml: a third valid, the others with one thing changed.
 * It throws, with the seed and the smallest request found, when an answer is a 5xx other than a documented 503, is no
 * envelope with a code of the contract, lets through what the schema forbids, or refuses what it allows.
 */
export async function fuzzOperation(
  app: App,
  id: OperationId,
  { runs, seed }: { runs: number; seed: number },
): Promise<FuzzReport> {
  const bench = await benchOf(app);
  const each = bench.cases.find((candidate) => candidate.id === id);
  if (!each) throw new Error(`openapi.yaml has no operation ${id}`);
  const ready = await bench.send(toWire(each, await readyRequest(bench.world, each)));
  if (ready.status >= 300)
    throw new Error(`${id} refused a request that should succeed: ${ready.status} ${ready.text.slice(0, 500)}`);

  const statuses: Record<number, number> = {};
  const property = fc.asyncProperty(requests(bench, each), async (changed) => {
    if (['logoutAll', 'changePassword', 'deleteMe', 'endSession', 'confirmTotp', 'createPasskey'].includes(id))
      await restoreSessions(bench.world);
    const reply = await bench.send(toWire(each, changed.parts));
    statuses[reply.status] = (statuses[reply.status] ?? 0) + 1;
    inspectReply(reply, each, bench.codes);
    inspectVerdict(reply, each, changed, bench);
  });
  // Another seed for every operation: the same Idempotency-Keys twice would be refused as a repetition.
  const ownSeed = [...id].reduce((hash, letter) => (hash * 31 + letter.charCodeAt(0)) | 0, seed);
  await fc.assert(property, {
    numRuns: runs,
    seed: ownSeed,
    interruptAfterTimeLimit: scaled(Math.max(25_000, runs * 500)),
    markInterruptAsFailure: true,
  });
  return { operation: id, runs, seed, statuses };
}

/** What the middleware says when a request does not fit the schemas; handlers word their own rules otherwise. */
const schemaRefusals = new Set([
  'The request does not fit this operation.',
  'The query holds parameters that this operation does not have.',
  'The query holds a value that cannot be read.',
  'The body holds a value that cannot be stored.',
]);

function inspectVerdict(
  { status, json, text }: Reply,
  each: Case,
  { parts, label, refusedBy }: Changed,
  bench: Bench,
): void {
  const { message = '' } = (json?.error ?? {}) as { message?: string };
  if (label === 'valid') {
    const unfit = status === 413 || status === 415 || (status === 400 && schemaRefusals.has(message));
    if (unfit) throw new Error(`${each.id} refused a valid request with ${status}: ${text.slice(0, 500)}`);
    return;
  }
  const brokenBody = () =>
    parts.text === undefined && parts.body !== undefined && !bench.validators(each)(JSON.parse(encodeJson(parts.body)));
  const forbidden = refusedBy ?? (brokenBody() ? [400, 413] : undefined);
  // Keys of one letter meet again: what a file holds is looked at after that.
  const isRepetition = status === 422 && json?.error !== undefined && text.includes('"idempotency_mismatch"');
  // Somebody else's thing: that is said first.
  const isStrangers = status === 403 && each.operation.owned !== undefined;
  // A query of boats at four bytes each, percent-encoded, is more than Node reads of a head.
  const isTooLong = status === 431;
  if (forbidden && !isRepetition && !isStrangers && !isTooLong && !forbidden.includes(status))
    throw new Error(`${each.id} let ${label} through with ${status}: ${text.slice(0, 500)}`);
}

function requests({ world, context, ids }: Bench, each: Case): fc.Arbitrary<Changed> {
  const valid = validParts(world, each, context, ids);
  const kinds = [
    { weight: 2, change: queryChange },
    { weight: 1, change: headerChange },
    ...(each.operation.path.includes('{') ? [{ weight: 2, change: pathChange }] : []),
    ...(each.body
      ? [
          { weight: 8, change: bodyChange },
          { weight: 1, change: rawChange },
        ]
      : []),
    ...(each.form ? [{ weight: 8, change: formChange }] : []),
  ];
  const changed = kinds.map(({ weight, change }) => ({
    weight,
    arbitrary: fc
      .tuple(valid, fc.nat(), fc.nat())
      .map(([parts, where, what]) => change(each, parts, context, where, what)),
  }));
  const total = kinds.reduce((sum, { weight }) => sum + weight, 0);
  return fc.oneof(
    {
      weight: Math.ceil(total / 2),
      arbitrary: valid.map((parts): Changed => ({ parts, label: 'valid', refusedBy: undefined })),
    },
    ...changed,
  );
}

function validParts(
  world: World,
  each: Case,
  context: SchemaContext,
  ids: Record<string, string[]>,
): fc.Arbitrary<Parts> {
  const { auth } = each.operation;
  const inPlace = (place: Parameter['in']) => each.parameters.filter((parameter) => parameter.in === place);
  const tokens = [world.tokens[entitledCaller(each)], ...(auth.public || auth.required ? [] : [undefined])];
  const chosenFrom = (parameters: Parameter[]) => {
    const requiredKeys = parameters.filter(({ required }) => required).map(({ name }) => name);
    return fc
      .record(named(parameters), { requiredKeys, noNullPrototype: true })
      .map((chosen) => Object.entries(chosen));
  };
  const path = inPlace('path').map((parameter) => {
    const { component = '' } = parameter;
    const known = ids[`${each.id} ${component}`] ?? ids[component] ?? [String(parameter.example ?? 'x')];
    const any = arbitraryOf(parameter.schema, context) as fc.Arbitrary<string>;
    return [
      parameter.name,
      fc.oneof({ weight: 8, arbitrary: fc.constantFrom(...known) }, { weight: 1, arbitrary: any }),
    ] as const;
  });
  const hints = queryHintsOf(world);
  const named = (parameters: Parameter[]) =>
    Object.fromEntries(
      parameters.map(({ name, schema }) => {
        const any = arbitraryOf(schema, context);
        const hint = hints[name]?.filter(
          (value) => typeof value !== 'string' || value.length >= (schema.minLength ?? 0),
        );
        return [name, hint ? fc.oneof(hint, hint, any) : any];
      }),
    );
  const some = each.body && arbitraryOf(each.body.schema, context);
  const body =
    some === undefined || each.operation.bodyRequired
      ? (some ?? fc.constant(undefined))
      : fc.option(some, { nil: undefined });
  return fc
    .record({
      token: fc.constantFrom(...tokens),
      params: fc.record(Object.fromEntries(path), { noNullPrototype: true }),
      query: chosenFrom(inPlace('query')),
      headers: chosenFrom(inPlace('header')),
      body,
      ...(each.form && { form: formsOf(each.form, context) }),
    })
    .map(({ query, headers, ...parts }) => ({
      ...parts,
      query: query.flatMap(([name, value]) => queryEntries(name, value)),
      headers: Object.fromEntries(headers.map(([name, value]) => [name, headerText(String(value))])),
    }));
}

function queryEntries(name: string, value: unknown): [string, string][] {
  if (typeof value !== 'object' || value === null) return [[name, String(value)]];
  return Object.entries(value).map(([key, item]) => [`${name}[${key}]`, String(item)]);
}

const headerText = (text: string) => encodeText(text).replaceAll('%2F', '/').slice(0, 1_000);

function benchOf(app: App): Promise<Bench> {
  const known = benches.get(app.services);
  if (known) return known;
  const made = createBench(app);
  benches.set(app.services, made);
  return made;
}

async function createBench({ url, services }: App): Promise<Bench> {
  const { contract, profile } = services;
  const world = await createWorld(services);
  const { owner, other, admin } = world;
  const listings = await Promise.all([
    ...['draft', 'active', 'paused', 'sold', 'expired'].map((status) => createListing(services, owner, status)),
    createListing(services, other, 'draft'),
  ]);
  const doomed = await Promise.all(Array.from({ length: 20 }, () => createListing(services, owner, 'active')));
  const offer = async () => (await createRental(services, owner)).id;
  const webhooks = [await createWebhookOf(services, owner), await createWebhookOf(services, other)];
  const rentals = [
    await offer(),
    (await createRental(services, other)).id,
    (await createRental(services, other, 'paused')).id,
  ];
  const doomedRentals = await Promise.all(Array.from({ length: 10 }, offer));
  const scrapers = [await createScraper(services, admin), await createScraper(services, admin)];
  const reviewed = [await createReview(services, owner), await createReview(services, other)];
  const ajv = new Ajv2020({ strict: false, logger: false });
  addFormats.default(ajv);
  ajv.addFormat('idn-email', isEmail);
  ajv.addSchema({ ...contract.document, $id: 'contract' });
  const validators = new Map<string, ValidateFunction>();
  return {
    world,
    send: createSender(url, createResponseChecker(contract)),
    cases: readCases(contract),
    context: schemaContext(contract, hintsOf(world)),
    codes: readErrorCodes(contract),
    ids: {
      ListingId: listings.flatMap(({ id, slug }) => [id, slug]),
      // Others go on to use the listings above.
      'deleteListing ListingId': doomed.map(({ id }) => id),
      'deleteAnyListing ListingId': doomed.map(({ id }) => id),
      FavoriteListingId: listings.flatMap(({ id, slug }) => [id, slug]),
      SavedSearchId: [await createSavedSearch(services, owner), await createSavedSearch(services, other)],
      'deleteSavedSearch SavedSearchId': await Promise.all(
        Array.from({ length: 10 }, () => createSavedSearch(services, owner)),
      ),
      UserId: [owner.id, other.id],
      CheckoutSessionId: [await createCheckout(services, owner), await createCheckout(services, other)],
      ConversationId: [
        await createConversation(services, owner, other),
        await createConversation(services, other, owner),
        await createConversation(services, other, admin),
      ],
      ReviewId: reviewed.map(({ reviewId }) => reviewId),
      'replyToReview ListingId': reviewed.map(({ id }) => id),
      CategoryId: profile.categories.map(({ id }) => id),
      'putMarketplaceCategory CategoryId': [
        await createCategory(services, admin),
        await createCategory(services, admin),
      ],
      'deleteMarketplaceCategory CategoryId': [await createCategory(services, admin)],
      AssetTypeId: profile.assetTypes.map(({ id }) => id),
      // Others go on to use the templates above.
      'putMarketplaceAssetType AssetTypeId': ['boards'],
      'deleteMarketplaceAssetType AssetTypeId': ['boards'],
      ConnectedApplicationId: [await connectApplication(services, owner), await connectApplication(services, other)],
      ApiKeyId: [(await createKey(services, owner, 'read')).id, (await createKey(services, other, 'read')).id],
      WebhookId: webhooks,
      'deleteWebhook WebhookId': [await createWebhookOf(services, owner), await createWebhookOf(services, owner)],
      DeliveryId: await Promise.all(webhooks.map((id) => createDeliveryOf(services, id))),
      PaymentId: await Promise.all(Array.from({ length: 5 }, () => createPayment(services, owner))),
      RentalId: rentals,
      'deleteRental RentalId': doomedRentals,
      BookingId: await Promise.all(rentals.map((id) => createBooking(services, id, owner))),
      ScraperId: scrapers,
      'deleteScraper ScraperId': await Promise.all(Array.from({ length: 10 }, () => createScraper(services, admin))),
      RunId: [
        await createRun(services, scrapers[0] ?? '', 'running'),
        await createRun(services, scrapers[0] ?? '', 'succeeded'),
        await createQuarantinedRun(services, scrapers[0] ?? ''),
        await createReimport(services),
      ],
      DedupGroupId: [
        await createDedupGroup(services, owner),
        await createDedupGroup(services, other),
        await createDedupGroup(services, owner, 'merged'),
      ],
      DraftJobId: [await createDraft(services, owner, 'completed'), await createDraft(services, owner, 'pending')],
      JobId: [await createJob(services, 'queued'), await createJob(services, 'cancelled')],
      QueueName: ['index-listing', 'localize-images'],
    },
    validators: (each) => {
      const known = validators.get(each.id) ?? ajv.compile({ $ref: `contract#${each.body?.pointer}` });
      validators.set(each.id, known);
      return known;
    },
  };
}
