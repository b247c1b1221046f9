import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readContract } from '../../api/http/contract.ts';
import type { OperationId } from '../../api/http/types.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { callers, createWorld, readyRequest, type Caller, type World } from '../support/openapi-cases-world.ts';
import { createSender, readCases, toWire, type Send } from '../support/openapi-cases.ts';
import { createResponseChecker } from '../support/response-check.ts';

type Row = Record<Caller, number>;

/** Nobody's credential is looked at. */
const blind = (status: number): Row => row(status, { bad: status, keys: [status, status, status] });
/** Open to everybody, but whoever brings a credential must bring a good one. */
const open = (status: number): Row => row(status, { keys: [status, status, status] });
/** Open to every session and every key. */
const signedIn = (status: number): Row => row(status, { anonymous: 401, keys: [status, status, status] });
/** Changes something: keys need the permission. */
const writing = (status: number): Row => row(status, { anonymous: 401, keys: [403, status, status] });
/** Sessions only. */
const session = (status: number): Row => row(status, { anonymous: 401, keys: [403, 403, 403] });
/** Sessions of admins only. */
const admins = (status: number): Row => ({ ...session(403), admin: status });

function row(
  status: number,
  { anonymous = status, bad = 401, keys }: { anonymous?: number; bad?: number; keys: [number, number, number] },
): Row {
  const [readKey, writeKey, adminKey] = keys;
  return {
    anonymous,
    badToken: bad,
    expired: bad,
    revoked: bad,
    readKey,
    writeKey,
    adminKey,
    owner: status,
    other: status,
    admin: status,
  };
}

/**
 * What each caller is answered to a request that succeeds for whoever is entitled. `owner` owns what the request names,
 * and the read and write keys; `other` is a stranger; the admin key is `admin`'s, who owns nothing here.
 */
const expected: Record<OperationId, Row> = {
  register: blind(201),
  login: blind(200),
  getMe: signedIn(200),
  listMyListings: signedIn(200),
  listUserListings: open(200),
  listApiKeys: signedIn(200),
  createApiKey: session(201),
  revokeApiKey: { ...session(200), other: 403, admin: 403 },

  listCategories: open(200),
  listCategoriesFlat: open(200),
  getCategory: open(200),
  listAssetTypes: open(200),
  getAssetType: open(200),

  searchListings: open(200),
  searchListingsMarkdown: open(200),
  suggest: open(200),
  getListing: open(200),
  getListingMarkdown: open(200),
  createListing: writing(201),
  flagListing: writing(201),
  contactListingOwner: blind(201),
  publishListing: { ...writing(200), adminKey: 403, other: 403, admin: 403 },
  updateListing: { ...writing(200), adminKey: 403, other: 403, admin: 403 },
  setListingStatus: { ...writing(200), adminKey: 403, other: 403, admin: 403 },
  markListingSold: { ...writing(200), adminKey: 403, other: 403, admin: 403 },
  renewListing: { ...writing(200), adminKey: 403, other: 403, admin: 403 },
  deleteListing: { ...writing(200), adminKey: 403, other: 403, admin: 403 },

  addListingImages: { ...writing(201), adminKey: 403, other: 403, admin: 403 },
  uploadImage: writing(201),

  ingestRecords: writing(200),
  publishBulk: writing(200),

  getAdminStats: admins(200),
  getAdminHealth: admins(200),
  approveListing: admins(200),
  rejectListing: admins(200),
  listValidationQueue: admins(200),
  listFlagged: admins(200),
  listScrapers: admins(200),
  createScraper: admins(201),
  updateScraper: admins(200),
  listScraperRuns: admins(200),
  startScraperRun: admins(202),
  cancelScraperRun: admins(200),
  listRuns: admins(200),
  listJobs: admins(200),
  getJob: admins(200),
  cancelJob: admins(200),
  retryJob: admins(200),
  listQueues: admins(200),
  pauseQueue: admins(200),
  resumeQueue: admins(200),
  redriveQueue: admins(200),

  getHealth: blind(200),
  getDatabaseHealth: blind(200),
  getMetrics: admins(200),
  getDiscovery: blind(200),
  getRobots: blind(200),
  getOpenapiJson: open(200),
  getOpenapiYaml: open(200),
  getDocs: open(200),
  listSchemas: open(200),
  getListingSchema: open(200),
  getListingSchemaMarkdown: open(200),
};

const cases = readCases(readContract());

let app: TestApp;
let world: World;
let send: Send;
beforeAll(async () => {
  app = await startApp();
  world = await createWorld(app.services);
  send = createSender(app.url, createResponseChecker(app.services.contract));
});
afterAll(async () => {
  await app.close();
});

test('every operation of openapi.yaml has its row, and no row is about anything else', () => {
  expect(Object.keys(expected).toSorted()).toEqual(cases.map(({ id }) => String(id)).toSorted());
});

describe('who is answered what', () => {
  test.each(cases.map((each) => [each.id, each] as const))('%s', async (id, each) => {
    const statuses: Partial<Row> = {};
    for (const caller of callers) {
      const ready = await readyRequest(world, each);
      statuses[caller] = (await send(toWire(each, { ...ready, token: world.tokens[caller] }))).status;
    }
    expect(statuses).toEqual(expected[id]);
  });
});

describe('401 and 403 come before anything is said about the request itself', () => {
  const closed = cases.filter(({ operation }) => operation.auth.required);

  test.each(closed.map((each) => [each.id, each] as const))('%s', async (_id, each) => {
    const params = Object.fromEntries(
      each.parameters.filter((each) => each.in === 'path').map(({ name }) => [name, 'no such thing']),
    );
    const nonsense = {
      params,
      query: [['x_unknown', '%ff']] as [string, string][],
      headers: { 'Content-Type': 'text/plain' },
      text: '{',
    };
    expect((await send(toWire(each, nonsense))).status).toBe(401);
    const refused = callers.filter(
      (caller) => expected[each.id][caller] === 403 && expected[each.id].owner !== expected[each.id][caller],
    );
    if (!refused.includes('readKey')) return;
    expect((await send(toWire(each, { ...nonsense, token: world.tokens.readKey }))).status).toBe(403);
  });
});
