import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { inTransaction } from '../../../db/client.ts';
import { changeListing, lockListing } from '../../../shared/listings/change.ts';
import { startApp, type Client, type TestApp, type TestUser } from '../../support/app.ts';
import { listingBody } from '../../support/listing-bodies.ts';
import { waitFor } from '../../support/waiting.ts';

const SEEN_WITHIN_MS = 5_000;

const isPublic = {
  nautical: ['active', 'paused', 'sold'],
  general: ['active', 'paused', 'sold', 'expired', 'flagged'],
};

/** Every way a reader meets a listing; each tells the title and status it is met with, or undefined where it is not. */
type View =
  | 'list'
  | 'list as Markdown'
  | 'status=all'
  | 'search'
  | 'detail'
  | 'detail as Markdown'
  | 'detail by slug'
  | 'of its seller';
type Sight = Partial<Record<View, string | undefined>>;

describe.each(['nautical', 'general'] as const)('in the %s profile', (profile) => {
  let app: TestApp;
  let twin: TestApp;
  let owner: TestUser;
  let listing: { id: string; slug: string; title: string };
  beforeAll(async () => {
    app = await startApp({ profile });
    twin = await app.twin();
    owner = await app.createUser();
    listing = (
      await app.as(owner).post('/api/listings', listingBody({ category_id: 'sailboats', title: 'A quixotic yawl' }))
    ).body;
  });
  afterAll(async () => {
    await twin.close();
    await app.close();
  });

  async function look(client: Client): Promise<Sight> {
    const { id, slug } = listing;
    const inPage = async (path: string) => {
      const { body } = await client.get(path);
      const found = body.results.find((each: { id: string }) => each.id === id);
      expect(body.pagination.total).toBe(body.results.length);
      return found && `${found.title} is ${found.status}`;
    };
    const detail = async (name: string) => {
      const { status, body } = await client.get(`/api/listings/${name}`);
      return status === 200 ? `${body.title} is ${body.status}` : undefined;
    };
    const { text: catalog } = await client.get('/api/listings.md');
    const { text: page, status } = await client.get(`/api/listings/${id}.md`);
    const fact = (name: string) => new RegExp(`^${name}: "?(.*?)"?$`, 'm').exec(page)?.[1];
    return {
      list: await inPage('/api/listings'),
      'list as Markdown': catalog.includes(slug) ? /(?:An?|The) quixotic [a-z]+/.exec(catalog)?.[0] : undefined,
      'status=all': await inPage('/api/listings?status=all'),
      search: await inPage('/api/listings?q=quixotic'),
      detail: await detail(id),
      'detail by slug': await detail(slug),
      'detail as Markdown': status === 200 ? `${fact('title')} is ${fact('status')}` : undefined,
      'of its seller': await inPage(`/api/users/${owner.id}/listings`),
    };
  }

  function expected(title: string, status: string): Sight {
    const text = `${title} is ${status}`;
    const [shown, listed] = [
      isPublic[profile].includes(status) ? text : undefined,
      status === 'active' ? text : undefined,
    ];
    return {
      list: listed,
      'list as Markdown': listed && title,
      'status=all': shown,
      search: listed,
      detail: shown,
      'detail by slug': shown,
      'detail as Markdown': shown,
      'of its seller': listed,
    };
  }

  const move = (status: string, event: 'listing.expired' | 'listing.flagged' | 'listing.published') => () =>
    inTransaction(app.services.db, async (tx) => {
      await changeListing(tx, app.services, await lockListing(tx, listing.id), { event, set: { status } });
    });
  const path = () => `/api/listings/${listing.id}`;
  /** What is done, by whom it is done here, and how the listing stands then. */
  const steps: [string, (client: Client) => Promise<unknown>, string, string][] = [
    ['created', async () => undefined, 'A quixotic yawl', 'draft'],
    ['published', (client) => client.post(`${path()}/publish`), 'A quixotic yawl', 'active'],
    ['paused', (client) => client.patch(path(), { status: 'paused' }), 'A quixotic yawl', 'paused'],
    [
      'changed while paused',
      (client) => client.put(path(), { title: 'The quixotic yawl' }),
      'The quixotic yawl',
      'paused',
    ],
    ['resumed', (client) => client.patch(path(), { status: 'active' }), 'The quixotic yawl', 'active'],
    [
      'changed while active',
      (client) => client.put(path(), { title: 'The quixotic ketch' }),
      'The quixotic ketch',
      'active',
    ],
    ['sold', (client) => client.post(`${path()}/mark-sold`), 'The quixotic ketch', 'sold'],
    ['taken back', (client) => client.patch(path(), { status: 'active' }), 'The quixotic ketch', 'active'],
    ['expired', move('expired', 'listing.expired'), 'The quixotic ketch', 'expired'],
    ['renewed', (client) => client.post(`${path()}/renew`), 'The quixotic ketch', 'active'],
    ['flagged', move('flagged', 'listing.flagged'), 'The quixotic ketch', 'flagged'],
    [
      'changed while flagged',
      (client) => client.put(path(), { title: 'The quixotic sloop' }),
      'The quixotic sloop',
      'flagged',
    ],
    ['approved', move('active', 'listing.published'), 'The quixotic sloop', 'active'],
    ['deleted', (client) => client.delete(path()), 'The quixotic sloop', 'deleted'],
  ];

  test.each(steps.map((step, index) => [step[0], index] as const))(
    'once it is %s, anonymous readers of every process see so within five seconds, whatever was cached',
    async (_, index) => {
      const [, act, title, status] = steps[index]!;
      const readers = [app.as(), twin.as()];
      for (const reader of readers) await look(reader);
      await act((index % 2 ? app : twin).as(owner));
      const deadline = Date.now() + SEEN_WITHIN_MS;
      for (const reader of readers) {
        await waitFor(
          async () => expect(await look(reader)).toEqual(expected(title, status)),
          Math.max(1, deadline - Date.now()),
        );
      }
      const own = await app.as(owner).get('/api/me/listings');
      const found = own.body.results.map(
        (each: { title: string; status: string }) => `${each.title} is ${each.status}`,
      );
      expect(found).toEqual(status === 'deleted' ? [] : [`${title} is ${status}`]);
    },
  );
});
