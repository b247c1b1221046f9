import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createPayments } from '../../shared/adapters/payments.ts';
import { readContract, type OperationId } from '../../api/http/contract.ts';
import { startApp, type Client, type Reply, type TestApp, type TestUser } from '../support/app.ts';
import { offer as offerListing, storeGroup } from '../support/dedup-groups.ts';
import { ingestBody, listingBody } from '../support/listing-bodies.ts';
import { createListing } from '../support/openapi-cases-things.ts';
import { formOf, newPhoto } from '../support/pictures.ts';
import { signedBy } from '../support/recipes/premium.ts';
import { createReporter, reportUntilHidden } from '../support/reporters.ts';
import { startStripeServer } from '../support/stripe-server.ts';
import { startWorkers } from '../support/workers.ts';
import { ask, movableClock, offer as offerRental } from './rentals/fixture.ts';

type World = {
  app: TestApp;
  owner: TestUser;
  /** The owner, somebody else, and an administrator. */
  me: Client;
  other: Client;
  admin: Client;
};
/** What is read before and after, and the change that an operation makes. */
type Case = { paths: string[]; change: () => Promise<Reply> };

const category = ({ app }: World) => (app.services.profile.name === 'general' ? 'boats' : 'cruising');
const locale = ({ app }: World) => (app.services.profile.name === 'general' ? 'en' : 'de');
const list = '/api/listings';
const shown = (id: string) => [`/api/listings/${id}`, list];
const rentals = (id: string) => [`/api/rentals/${id}`, '/api/rentals'];
const active = async ({ app, owner }: World) => (await offerListing(app, owner)).id;

async function sellerWithListing({ app }: World): Promise<{ id: string; listing: string }> {
  const seller = await app.createUser();
  return { id: seller.id, listing: (await offerListing(app, seller)).id };
}

async function draft(world: World): Promise<string> {
  const { body } = await world.me.post('/api/listings', listingBody({ category_id: category(world) }));
  return body.id;
}

/** A listing of the owner as it is in that status, changed by one call. */
const ofActive =
  (change: (world: World, id: string) => Promise<Reply>) =>
  async (world: World): Promise<Case> => {
    const id = await active(world);
    return { paths: shown(id), change: () => change(world, id) };
  };

/** A listing that two people have reported, and the third who does. */
const ofReported =
  (report: (who: Client, id: string) => Promise<Reply>) =>
  async (world: World): Promise<Case> => {
    const id = await active(world);
    for (let n = 0; n < 2; n += 1) await report(world.app.as(await createReporter(world.app)), id);
    const third = world.app.as(await createReporter(world.app));
    return { paths: shown(id), change: () => report(third, id) };
  };

const trader = {
  name: 'Werft Nord GmbH',
  address: 'Hafenstraße 1, 24376 Kappeln',
  country: 'DE',
  email: 'info@werft.example.com',
  phone: '+49 4642 123456',
  certified: true,
};

const ofRental =
  (change: (world: World, id: string) => Promise<Reply>) =>
  async (world: World): Promise<Case> => {
    const id = await offerRental(world.me);
    return { paths: rentals(id), change: () => change(world, id) };
  };

const ofBooking =
  (how: 'confirm' | 'decline' | 'cancel') =>
  async (world: World): Promise<Case> => {
    const id = await offerRental(world.me);
    const booking = await ask(world.other, id, '2027-06-01', '2027-06-08');
    return { paths: rentals(id), change: () => world.me.post(`/api/rentals/${id}/bookings/${booking}/${how}`) };
  };

/** Two listings that are taken for one, and those two as they are read. */
async function twins(world: World): Promise<{ group: string; paths: string[] }> {
  const seller = await world.app.createUser();
  const ids = [await active(world), (await offerListing(world.app, seller)).id];
  return { group: await storeGroup(world.app, ids), paths: [...ids.map((id) => `/api/listings/${id}`), list] };
}

async function ingest({ me }: World, record: { url: string }): Promise<string> {
  return (await me.post('/api/ingest', { records: [record] })).body.ids[record.url];
}

/** Every operation that changes what readers without a credential are shown. */
const changing: Partial<Record<OperationId, (world: World) => Promise<Case>>> = {
  createListing: async (world) => ({
    paths: [list],
    change: () => world.me.post('/api/listings', listingBody({ category_id: category(world) })),
  }),
  updateListing: ofActive(({ me }, id) => me.put(`/api/listings/${id}`, { title: 'Another title for the boat' })),
  setListingStatus: ofActive(({ me }, id) => me.patch(`/api/listings/${id}`, { status: 'paused' })),
  deleteListing: ofActive(({ me }, id) => me.delete(`/api/listings/${id}`)),
  publishListing: async (world) => {
    const id = await draft(world);
    return { paths: [list], change: () => world.me.post(`/api/listings/${id}/publish`) };
  },
  flagListing: ofReported((who, id) => who.post(`/api/listings/${id}/flag`, { reason: 'spam' })),
  createReport: ofReported((who, id) =>
    who.post('/api/reports', { subject_type: 'listing', subject_id: id, reason: 'spam' }),
  ),
  decideReport: async (world) => {
    const id = await active(world);
    await world.other.post(`/api/listings/${id}/flag`, { reason: 'spam' });
    const decision = { action: 'hide', facts: 'The photos are those of another boat.' };
    return { paths: shown(id), change: () => world.admin.post(`/api/admin/reports/${id}/decide`, decision) };
  },
  decideAppeal: async (world) => {
    const id = await active(world);
    await reportUntilHidden(world.app, id);
    const { body } = await world.me.post(`/api/listings/${id}/appeal`, { text: 'The boat is mine.' });
    return {
      paths: shown(id),
      change: () => world.admin.post(`/api/admin/appeals/${body.id}/decide`, { outcome: 'granted' }),
    };
  },
  declareTrader: async (world) => ({
    paths: [`/api/listings/${await active(world)}`],
    change: () => world.me.put('/api/me/trader', trader),
  }),
  withdrawTrader: async (world) => {
    const id = await active(world);
    await world.me.put('/api/me/trader', trader);
    return { paths: [`/api/listings/${id}`], change: () => world.me.delete('/api/me/trader') };
  },
  markListingSold: ofActive(({ me }, id) => me.post(`/api/listings/${id}/mark-sold`)),
  renewListing: ofActive(({ me }, id) => me.post(`/api/listings/${id}/renew`)),
  addListingImages: ofActive(async ({ me }, id) =>
    me.request('POST', `/api/listings/${id}/images`, { raw: formOf([['files', await newPhoto()]]) }),
  ),
  editListingRewrite: async (world) => {
    const id = await active(world);
    const words = {
      title: 'Own words for this boat',
      description: 'Words that its owner has written about this boat.',
    };
    return {
      paths: [`/api/listings/${id}?lang=${locale(world)}`, list],
      change: () => world.me.put(`/api/listings/${id}/rewrites/${locale(world)}`, words),
    };
  },
  deleteListingRewrite: async (world) => {
    const { paths, change } = await changing.editListingRewrite!(world);
    await change();
    const [id] = /lst_\w+/.exec(paths[0]!)!;
    return { paths, change: () => world.me.delete(`/api/listings/${id}/rewrites/${locale(world)}`) };
  },
  migrateRewrites: async (world) => {
    const id = await active(world);
    return {
      paths: [`/api/listings/${id}?lang=${locale(world)}`, list],
      change: () => world.admin.post('/api/rewriting/migrate', { limit: 50 }),
    };
  },
  completeStubCheckout: ofActive(async ({ me, app }, id) => {
    const { body } = await me.post(`/api/listings/${id}/premium/checkout`, { plan: 'featured', duration: 7 });
    const form = { headers: { 'Content-Type': 'application/x-www-form-urlencoded' }, raw: '' };
    return app.as().post(new URL(body.checkout_url).pathname, undefined, form);
  }),
  refundOrder: async (world) => {
    const id = await active(world);
    const { body } = await world.me.post(`/api/listings/${id}/premium/checkout`, { plan: 'featured', duration: 7 });
    const form = { headers: { 'Content-Type': 'application/x-www-form-urlencoded' }, raw: '' };
    await world.app.as().post(new URL(body.checkout_url).pathname, undefined, form);
    const { results } = (await world.me.get('/api/me/payments')).body;
    return { paths: shown(id), change: () => world.admin.post(`/api/admin/payments/${results[0].id}/refund`) };
  },
  receivePaymentEvent: async (world) => {
    const stripe = await startStripeServer();
    const { services } = world.app;
    const stub = services.payments;
    services.payments = createPayments({
      ...services.config,
      payments: { ...services.config.payments, stripeKey: 'sk_test_of_the_tests', apiBase: stripe.url },
    } as never);
    const id = await active(world);
    const { body } = await world.me.post(`/api/listings/${id}/premium/checkout`, { plan: 'featured', duration: 7 });
    const { params = {} } = stripe.sessions[0] ?? {};
    services.payments = stub;
    await stripe.close();
    const object = {
      id: body.session_id,
      object: 'checkout.session',
      payment_status: 'paid',
      payment_intent: `pi_${body.session_id}`,
      amount_total: Number(params['line_items[0][price_data][unit_amount]']),
      currency: params['line_items[0][price_data][currency]'],
      metadata: { payment_id: params['metadata[payment_id]'] },
    };
    const raw = JSON.stringify({ id: 'evt_of_the_tests', type: 'checkout.session.completed', data: { object } });
    const at = Math.floor(services.clock.now().getTime() / 1_000);
    const headers = signedBy(services.config.payments.webhookSecret, raw, at);
    return {
      paths: shown(id),
      change: () => world.app.as().request('POST', '/api/payments/webhook', { raw, headers }),
    };
  },
  createRental: async ({ me }) => ({
    paths: ['/api/rentals'],
    change: async () => {
      await offerRental(me);
      return me.get('/api/me');
    },
  }),
  updateRental: ofRental(({ me }, id) => me.patch(`/api/rentals/${id}`, { price_per_day: 12 })),
  deleteRental: ofRental(({ me }, id) => me.delete(`/api/rentals/${id}`)),
  createBooking: ofRental(({ other }, id) =>
    other.post(`/api/rentals/${id}/bookings`, { date_from: '2027-06-01', date_to: '2027-06-08' }),
  ),
  confirmBooking: ofBooking('confirm'),
  declineBooking: ofBooking('decline'),
  cancelBooking: ofBooking('cancel'),
  ingestRecords: async (world) => {
    const record = ingestBody({ ...(category(world) === 'boats' && { category_id: 'boats' }) });
    const id = await ingest(world, record);
    await world.me.post(`/api/listings/${id}/publish`);
    const cheaper = { ...record, price: { amount: 12_345, currency: 'EUR' } };
    return { paths: shown(id), change: () => world.me.post('/api/ingest', { records: [cheaper] }) };
  },
  publishBulk: async (world) => {
    const id = await draft(world);
    return { paths: [list], change: () => world.me.post('/api/ingest/publish-bulk', { ids: [id] }) };
  },
  reimportRecords: async (world) => {
    const raw = { title: 'Nimbus 305 Coupé', price: '98.000 €', properties: { Baujahr: '2017' } };
    const boats = category(world) === 'boats' && { category_id: 'boats' };
    const id = await ingest(world, ingestBody({ raw_record: raw, price: { amount: 98, currency: 'EUR' }, ...boats }));
    await world.me.post(`/api/listings/${id}/publish`);
    return { paths: shown(id), change: () => world.me.post('/api/ingest/reimport', { ids: [id] }) };
  },
  suspendUser: async (world) => {
    const { id, listing } = await sellerWithListing(world);
    const change = () => world.admin.post(`/api/admin/users/${id}/suspend`, { reason: 'For the tests.' });
    return { paths: shown(listing), change };
  },
  unsuspendUser: async (world) => {
    const { id, listing } = await sellerWithListing(world);
    await world.admin.post(`/api/admin/users/${id}/suspend`, { reason: 'For the tests.' });
    return { paths: shown(listing), change: () => world.admin.post(`/api/admin/users/${id}/unsuspend`) };
  },
  deleteZeroImageListings: ofActive(({ admin }) => admin.delete('/api/admin/zero-image-listings')),
  expireListings: async (world) => {
    const id = await active(world);
    const past = new Date(world.app.services.clock.now().getTime() - 60_000);
    await world.app.database.pool.query('update listings set expires_at = $2 where id = $1', [id, past]);
    return { paths: shown(id), change: () => world.admin.post('/api/admin/expire-listings') };
  },
  approveListing: async (world) => {
    const id = await active(world);
    await reportUntilHidden(world.app, id);
    return { paths: [list], change: () => world.admin.post(`/api/admin/listings/${id}/approve`) };
  },
  rejectListing: async (world) => {
    const { id } = await createListing(world.app.services, { ...world.owner }, 'draft');
    return { paths: [list], change: () => world.admin.post(`/api/admin/listings/${id}/reject`) };
  },
  editAnyListing: ofActive(({ admin }, id) =>
    admin.patch(`/api/admin/listings/${id}`, { title: 'Another title for the boat' }),
  ),
  setAnyListingStatus: ofActive(({ admin }, id) =>
    admin.post(`/api/admin/listings/${id}/status`, { status: 'paused' }),
  ),
  deleteAnyListing: ofActive(({ admin }, id) => admin.delete(`/api/admin/listings/${id}`)),
  restoreListing: async (world) => {
    const id = await active(world);
    await world.admin.delete(`/api/admin/listings/${id}`);
    return { paths: shown(id), change: () => world.admin.post(`/api/admin/listings/${id}/restore`) };
  },
  mergeDedupGroup: async (world) => {
    const { group, paths } = await twins(world);
    return { paths, change: () => world.admin.post(`/api/admin/nautical/dedup/${group}/merge`) };
  },
  unmergeDedupGroup: async (world) => {
    const { group, paths } = await twins(world);
    await world.admin.post(`/api/admin/nautical/dedup/${group}/merge`);
    return { paths, change: () => world.admin.post(`/api/admin/nautical/dedup/${group}/unmerge`) };
  },
  bulkMergeDedupGroups: async (world) => {
    const { group, paths } = await twins(world);
    return { paths, change: () => world.admin.post('/api/admin/nautical/dedup/bulk-merge', { ids: [group] }) };
  },
  putRates: async (world) => {
    await active(world);
    const rates = { USD: 1 + Math.random() };
    return {
      paths: [`${list}?currency=USD`],
      change: () => world.admin.put('/api/admin/rates', { base: 'EUR', date: '2026-01-02', rates }),
    };
  },
  scanAndMergeDedup: ofActive(async ({ app, admin }) => {
    const workers = await startWorkers(app);
    let isAnswered = false;
    const reply = admin.post('/api/admin/nautical/dedup/scan-and-merge').finally(() => (isAnswered = true));
    while (!isAnswered) {
      await workers.work('dedup-scan');
      await sleep(5);
    }
    await workers.close();
    return reply;
  }),
};

/** The others: what they change is shown to nobody, or by a worker or with the journal later; an edit of the marketplace empties the cache. */
const others: OperationId[] = `register login requestMagicLink verifyMagicLink requestPasswordReset confirmPasswordReset
  verifyEmail resendVerification logoutAll changePassword endSession startTotp confirmTotp removeTotp createPasskey createPasskeyOptions deletePasskey
  createPasskeyLoginOptions loginWithPasskey updateMe deleteMe requestExport createApiKey revokeApiKey disconnectApplication addFavorite removeFavorite createSavedSearch
  updateSavedSearch deleteSavedSearch unsubscribe generateListingDraft contactListingOwner startConversation sendMessage
  markConversationRead createReview replyToReview createPremiumCheckout uploadImage createWebhook updateWebhook
  deleteWebhook testWebhook rotateWebhookSecret retryWebhookDelivery subscribeNewsletter unsubscribeNewsletter trackEvent
  processRefreshes localizeImages notifyExpiring rejectDedupGroup scanDedup startDedupJob stopDedupJob createScraper
  updateScraper startScraperRun cancelScraperRun acceptScraperRun uploadFeed previewFeed learnSite cancelLearning rewriteListing rewriteBatch startRewriteMigration
  appealListing appealNotice blockUser unblockUser setUserRole logoutUser resetSecondFactors verifyUserEmail sendSignInLink
  stopRewriteMigration cancelJob retryJob startBackup startReimport startReindex pauseQueue resumeQueue redriveQueue
  deleteScraper tryScraperPage switchAnyWebhook redeliverAny multiSearchListings addMarketplaceCategory putMarketplaceCategory
  deleteMarketplaceCategory putMarketplaceAssetType deleteMarketplaceAssetType putSettings undoSettings`.split(
  /\s+/,
) as OperationId[];

test('of every operation that is no GET it is known whether it changes what everybody is shown', () => {
  const known = [...Object.keys(changing), ...others].toSorted();
  const operations = readContract().operations.filter(({ method }) => method !== 'get');
  expect(known).toEqual(operations.map(({ id }) => id).toSorted());
});

describe.each(['nautical', 'general'] as const)('in the profile %s', (profile) => {
  let world: World;
  let clearCache: () => void;
  beforeAll(async () => {
    const app = await startApp({ profile, clock: movableClock() });
    const owner = await app.createUser();
    const [me, other] = [app.as(owner), app.as(await app.createUser())];
    world = { app, owner, me, other, admin: app.as(await app.createUser({ role: 'admin' })) };
    hearOnlyAnswers(app);
  });
  afterAll(() => world.app.close());

  /** The journal tells the process of changes as well, a moment later: here it is not listened to. */
  function hearOnlyAnswers({ services }: TestApp): void {
    const { applyEffects, cache } = services;
    const { invalidate } = cache;
    clearCache = cache.clear.bind(cache);
    cache.clear = () => {};
    let isAnswering = false;
    services.applyEffects = (effects, reader) => {
      isAnswering = true;
      applyEffects(effects, reader);
      isAnswering = false;
    };
    cache.invalidate = (changed) => {
      if (isAnswering) invalidate(changed);
    };
  }

  // A crawler's reading counts as no view, which would be shown a second later.
  const read = (path: string) => world.app.as().get(path, { headers: { 'User-Agent': 'Googlebot/2.1' } });
  const readAll = async (paths: readonly string[]) => {
    const replies: Reply[] = [];
    for (const path of paths) replies.push(await read(path));
    return replies.map(({ status, text, headers }) => ({ status, text, isHit: headers.get('x-cache') === 'HIT' }));
  };

  test.each(Object.entries(changing))('%s: whoever reads next finds the change', async (_operation, prepare) => {
    const { paths, change } = await prepare(world);
    await readAll(paths);
    const warm = await readAll(paths);
    expect(warm.map(({ isHit }) => isHit)).toEqual(warm.map(({ status }) => profile === 'nautical' && status === 200));
    const reply = await change();
    expect(reply.status, reply.text).toBeLessThan(300);
    const next = await readAll(paths);
    expect(next.map(({ isHit }) => isHit)).toEqual(paths.map(() => false));
    clearCache();
    expect(next).toEqual(await readAll(paths));
  });
});
