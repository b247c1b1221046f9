import { afterAll, beforeAll, expect, test } from 'vitest';
import { refusalsEn } from '../../../api/pages/words/en-refusals.ts';
import { wordsIn } from '../../../api/pages/words/words.ts';
import { readSearchWarning, searchWarnings } from '../../../shared/search/warnings.ts';
import { profileOf } from '../../../shared/profiles/read-profile.ts';
import { closeApps, startApp, type TestApp, type TestUser } from '../../support/app.ts';
import { listingBody } from '../../support/listing-bodies.ts';
import { visitPages, type SeenPage } from '../../support/page-visitor.ts';

const nautical = profileOf('nautical');

let app: TestApp;
let user: TestUser;
beforeAll(async () => {
  app = await startApp();
  user = await app.createUser({ name: 'Ada' });
});
afterAll(closeApps);

const german = wordsIn('de');
const faultsOf = ({ $ }: SeenPage) =>
  Object.fromEntries(
    $('p.error')
      .map((_, each) => [[String($(each).attr('id')), $(each).text()]])
      .get() as never,
  );

test('what is wrong with the fields of an ad is said beside them in the language of the page', async () => {
  const visitor = visitPages(app, user);
  await visitor.open('/sell?category=cruising&lang=de');
  const bad = { title: 'Boot', description: '', price: '-1', city: '', country: 'DE', 'attributes.year': 'neulich' };
  const page = await visitor.send('form[method=post]:has([name=title])', { ...bad, condition: 'shiny' });
  expect([page.status, page.$('[role=alert]').text()]).toEqual([400, german.errors.fields]);
  expect(faultsOf(page)).toEqual({
    'title-error': 'Bitte mindestens 5 Zeichen.',
    'description-error': german.faults.missing,
    'price-error': 'Bitte geben Sie mindestens 0 ein.',
    'city-error': german.faults.missing,
    'condition-error': german.faults.choice,
  });
  expect(page.$('main [lang=en]').length).toBe(0);
  const { price, ...others } = {
    ...bad,
    title: 'Bootsmotor',
    description: 'Läuft ruhig und zuverlässig.',
    city: 'Kiel',
  };
  const next = await visitor.send('form[method=post]:has([name=title])', {
    ...others,
    price: 'viel',
    condition: 'good',
  });
  expect([price, faultsOf(next)]).toEqual(['-1', { 'price-error': german.faults.number }]);
  const last = await visitor.send('form[method=post]:has([name=title])', { ...others, price: '5' });
  expect(faultsOf(last)).toEqual({ 'attributes.year-error': german.faults.number });
});

test('signing in and registering say in the language of the page why they do not work', async () => {
  const visitor = visitPages(app);
  const said = ({ $ }: SeenPage) => [$('[role=alert]').text(), $('main [lang=en]').length];
  const fields = { email: 'Anker@example.com', password: 'a long phrase of the harbour' };
  await visitor.open('/sign-in?lang=de');
  expect(said(await visitor.send('form:has([value=password])', fields))).toEqual([german.faults.wrongPassword, 0]);
  await visitor.open('/sign-in?way=register&lang=de');
  const common = await visitor.send('form:has([value=register])', { ...fields, name: 'Ada', password: 'password1' });
  expect(faultsOf(common)).toEqual({ 'password-error': german.faults.guessable });
  const address = await visitor.send('form:has([value=register])', { ...fields, name: 'Ada', email: 'Anker' });
  expect(faultsOf(address)).toEqual({ 'email-error': german.faults.email });
  await visitor.send('form:has([value=register])', { ...fields, name: 'Ada' });
  const again = visitPages(app);
  await again.open('/sign-in?way=register&lang=de');
  expect(
    said(await again.send('form:has([value=register])', { ...fields, name: 'Bo', password: 'another fine phrase 7' })),
  ).toEqual([german.faults.accountExists, 0]);
});

test('a refusal that has no sentence of its own has that of its code, and the text of the API marked as English', async () => {
  const { body } = await app.as(user).post('/api/listings', listingBody({}));
  const visitor = visitPages(app, user);
  await visitor.open(`/my/listings/${body.id}?lang=de`);
  await app.as(user).post(`/api/listings/${body.id}/publish`);
  const { status, $ } = await visitor.send('form:has([name=action][value=publish])');
  expect([status, $('[role=alert]').text().startsWith(german.refused.conflict)]).toEqual([409, true]);
  expect($('[role=alert] [lang=en]').text()).toMatch(/^Only a draft can be published/);
});

test('a program is given the reason and the limit of what is wrong, which a page has its sentence for', async () => {
  const { body } = await app
    .as(user)
    .post('/api/listings', listingBody({ title: 'Boat', condition: 'shiny' as 'good' }));
  expect(body.error.details.errors).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ path: '/body/title', reason: 'too_short', limit: 5 }),
      expect.objectContaining({ path: '/body/condition', reason: 'not_a_choice' }),
    ]),
  );
  const wrong = await app.as().post('/api/auth/login', { email: 'ada@example.com', password: 'not this phrase' });
  expect([wrong.status, wrong.body.error.details]).toEqual([401, { reason: 'wrong_password' }]);
});

test.each(Object.entries(searchWarnings))('a warning of the kind %s is known by its own text', (kind, write) => {
  expect(readSearchWarning(write('Seil & Segel', ' in cruising'))?.kind).toBe(kind);
});

test('a warning that names a value is told with it', () => {
  expect(readSearchWarning(searchWarnings.noRate('XAF'))).toEqual({ kind: 'noRate', value: 'XAF' });
  expect(readSearchWarning('Nobody has written this.')).toBeUndefined();
});

test('what a search warns of is said in the language of the page', async () => {
  const { $ } = await visitPages(app).open('/search?country=QQ&lang=de');
  expect($('#results p.note').text()).toBe(german.faults.unknownFilter);
  expect($('#results [lang=en]').length).toBe(0);
});

test.each(nautical.locales)('in %s every sentence about the API is there', (locale) => {
  const { refused, faults } = wordsIn(locale);
  expect([Object.keys(refused), Object.keys(faults)]).toEqual([
    Object.keys(refusalsEn.refused),
    Object.keys(refusalsEn.faults),
  ]);
});
