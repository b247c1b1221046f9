import { load } from 'cheerio';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { closeApps, startApp, type TestApp, type TestUser } from '../../support/app.ts';
import { browserPath, openPage } from '../../support/browser.ts';
import { authorizePath, createPkce, registerTestClient } from '../../support/oauth-client.ts';
import { findPages, kindOfPage, pageKinds, PATHS_BY_MAIL } from '../../support/page-kinds.ts';
import { HOSTILE_TEXT, HOSTILE_TITLE, publishListing } from '../../support/public-pages.ts';
import { ask, movableClock, offer } from '../rentals/fixture.ts';

/** What ends an attribute, and what ends the text of an element. */
const HOSTILE_NAME = `"'><script>alert(6)</script><img src=x onerror=alert(7)>`;
const inBrowser = { Accept: 'text/html' };

let app: TestApp;
let cookie: string;
let paths: { signedOut: string[]; signedIn: string[] };

beforeAll(async () => {
  app = await startApp({ clock: movableClock() });
  const person = await app.createUser({ name: HOSTILE_NAME });
  cookie = `session=${person.token}`;
  await fillWithHostility(person, await app.createUser({ name: HOSTILE_NAME }));
  const { client_id: clientId } = await registerTestClient(app, { client_name: HOSTILE_NAME });
  const beginnings = [
    '/',
    `/search?q=${encodeURIComponent(HOSTILE_TITLE)}&city=${encodeURIComponent(HOSTILE_NAME)}`,
    ...PATHS_BY_MAIL.map((path) => path.replace('of-nobody', encodeURIComponent(HOSTILE_NAME))),
    authorizePath(String(clientId), createPkce().challenge, { state: HOSTILE_NAME }),
    `/sign-in?next=${encodeURIComponent(HOSTILE_NAME)}&way=${encodeURIComponent(HOSTILE_NAME)}`,
  ];
  const crawl = { url: app.url, beginnings, ofEachKind: 2 };
  paths = { signedOut: await findPages(crawl), signedIn: await findPages({ ...crawl, cookie }) };
});
afterAll(closeApps);

/** Everything that people write, in two accounts that deal with each other. */
async function fillWithHostility(person: TestUser, other: TestUser): Promise<void> {
  const listing = {
    title: HOSTILE_TITLE,
    description: HOSTILE_TEXT,
    location: { country: 'DE', city: HOSTILE_NAME, shipping: false },
    attributes: { brand: HOSTILE_NAME, year: 2001 },
  };
  const mine = await publishListing(app, person, listing);
  const theirs = await publishListing(app, other, { ...listing, title: `Other ${HOSTILE_TITLE}` });
  const [me, them] = [app.as(person), app.as(other)];
  for (const [buyer, seller, { id, slug }] of [
    [them, me, mine],
    [me, them, theirs],
  ] as const) {
    const { body } = await buyer.post('/api/conversations', { listing_id: id, message: HOSTILE_TEXT });
    await seller.post(`/api/conversations/${body.id}/messages`, { content: HOSTILE_TEXT });
    const { body: review } = await buyer.post(`/api/listings/${slug}/reviews`, { rating: 2, comment: HOSTILE_TEXT });
    await seller.post(`/api/listings/${slug}/reviews/${review.id}/reply`, { reply: HOSTILE_TEXT });
    await buyer.post('/api/me/favorites', { listing_id: id });
    const rental = await offer(seller, {
      title: HOSTILE_TITLE,
      description: HOSTILE_TEXT,
      location: { country: 'ES', city: HOSTILE_NAME },
    });
    await ask(buyer, rental, '2027-06-01', '2027-06-08');
  }
  await me.post('/api/me/saved-searches', { name: HOSTILE_NAME, query_params: { q: HOSTILE_NAME } });
  await me.post('/api/auth/api-keys', { name: HOSTILE_NAME, permissions: 'read' });
}

const visits = () => [
  ...paths.signedOut.map((path) => ({ path, headers: inBrowser })),
  ...paths.signedIn.map((path) => ({ path, headers: { ...inBrowser, Cookie: cookie } })),
];

test('Every kind of page is reached by the links of others, by a mail, or by an application that wants to connect', () => {
  const reached = new Set([...paths.signedOut, ...paths.signedIn].map(kindOfPage));
  // The addresses of forms lead back to the page that the form is on.
  const missing = pageKinds.filter(
    (kind) => !reached.has(kind) && !/\/(?:message|favorite|report|photos|sign-out)$/.test(kind),
  );
  expect(missing).toEqual([]);
});

test('Hostile titles, texts, names, places and addresses are shown as the text that they are, on every page', async () => {
  for (const { path, headers } of visits()) {
    const page = load(await (await fetch(app.url + path, { headers })).text());
    const scripts = page('script:not([type="application/ld+json"])').toArray();
    const sources = scripts.map(({ attribs }) => new URL(attribs['src'] ?? 'inline:', app.url).pathname);
    expect(
      sources.filter((source) => !/^\/assets\/(?:pages|passkeys)\.\w+\.js$/.test(source)),
      path,
    ).toEqual([]);
    expect(page('img[src="x"], svg[onload], [onerror], main b, iframe, object, embed, base').length, path).toBe(0);
    const attributes = page('*')
      .toArray()
      .flatMap((element) => Object.entries(page(element).attr() ?? {}));
    const active = ([name, value]: readonly [string, string]) =>
      /^(?:style|on.*|srcdoc)$/i.test(name) || /^\s*(?:javascript|vbscript|data:text)/i.test(value);
    expect(attributes.filter(active), path).toEqual([]);
    expect(page('style').length, path).toBe(0);
  }
});

test('The policy of every page allows files of its own alone, no frame and no form that leads elsewhere', async () => {
  for (const { path, headers } of visits()) {
    const response = await fetch(app.url + path, { headers, redirect: 'manual' });
    const directives = (response.headers.get('content-security-policy') ?? '').split('; ').map((each) => {
      const [name = '', ...sources] = each.split(' ');
      return [name, sources.join(' ')] as const;
    });
    expect(Object.fromEntries(directives), path).toMatchObject({
      'default-src': "'none'",
      'script-src': "'self'",
      'style-src': "'self'",
      'form-action': expect.stringMatching(path.startsWith('/oauth') ? /^'self'/ : /^'self'$/),
      'base-uri': "'none'",
      'frame-ancestors': "'none'",
    });
  }
});

describe.skipIf(browserPath === undefined)('in a browser', () => {
  test('no hostile text runs, asks another host, or breaks a policy on any page', async () => {
    const { page, problems, close } = await openPage(app);
    for (const path of paths.signedOut) await page.goto(app.url + path);
    await page.context().addCookies([{ name: 'session', value: cookie.replace('session=', ''), url: app.url }]);
    for (const path of paths.signedIn) await page.goto(app.url + path);
    expect(problems.filter((problem) => !/^40\d: /.test(problem))).toEqual([]);
    await close();
  });
});
