import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright';
import PostalMime from 'postal-mime';
import { afterEach, expect, test } from 'vitest';
import { browserPath, openPage, type OpenPage } from '../support/browser.ts';
import { cloneDatabase } from '../support/database.ts';
import { newPhoto } from '../support/pictures.ts';
import { eventually, waitFor } from '../support/waiting.ts';
import { endAll, newFolder, run } from './support.ts';

const root = join(import.meta.dirname, '../..');
const windows: OpenPage[] = [];
afterEach(async () => {
  for (const window of windows.splice(0)) await window.close();
  await endAll();
});

/** The whole fleet as `npm start` brings it up, with its mails in a folder. */
async function startFleet() {
  const { url } = await cloneDatabase();
  const dataDir = newFolder();
  const environment = {
    PATH: process.env['PATH'] ?? '',
    DATABASE_URL: url,
    DATA_DIR: dataDir,
    PORT: '0',
    LOG_LEVEL: 'warn',
  };
  const fleet = run(['run', 'start'], root, environment, { program: 'npm' });
  const say = () => fleet.lines.join('\n');
  const addressOf = () => /^ +API +(\S+)\/api$/m.exec(say())?.[1];
  await eventually(() => addressOf() !== undefined, { describe: say });
  const outbox = join(dataDir, 'outbox');
  const mails = async () => {
    const names = existsSync(outbox) ? readdirSync(outbox).filter((name) => name.endsWith('.eml')) : [];
    return Promise.all(names.map(async (name) => PostalMime.parse(readFileSync(join(outbox, name)))));
  };
  return { url: addressOf() ?? '', mails };
}

async function openWindow(url: string, width: number, height: number) {
  const isPhone = width < 500;
  const window = await openPage({ url }, { viewport: { width, height }, isMobile: isPhone, hasTouch: isPhone });
  windows.push(window);
  const { page } = window;
  /** Waits for a page by its heading: it fits the window. */
  const arrive = async (heading: string | RegExp) => {
    await page.getByRole('heading', { level: 1, name: heading }).waitFor();
    const over = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');
    expect(over, `${page.url()} is wider than ${width} px`).toBeLessThanOrEqual(0);
  };
  return { ...window, arrive };
}

async function register(page: Page, name: string, email: string) {
  await page.getByRole('link', { name: 'Create an account' }).click();
  const form = page.locator('form', { has: page.locator('[value=register]') });
  await form.getByLabel('Your name').fill(name);
  await form.getByLabel('Email').fill(email);
  await form.getByLabel('Password').fill('a long phrase of the harbour');
  await form.getByRole('button').click();
}

test.skipIf(browserPath === undefined)(
  'somebody who has never seen it registers, publishes a boat with photos from a phone, is contacted, answers and sells',
  async () => {
    const { url, mails } = await startFleet();
    const seller = await openWindow(url, 390, 844);
    const buyer = await openWindow(url, 1440, 900);
    const title = 'Bavaria 37 Cruiser, one owner';

    await seller.page.goto(url);
    await seller.arrive(/Quayside/);
    await seller.page.getByRole('link', { name: 'Sell something' }).first().click();
    await seller.arrive('Sign in');
    await register(seller.page, 'Sally Seller', 'sally@example.com');
    await seller.arrive('Sell something');

    const token = await waitFor(async () => {
      const texts = (await mails())
        .filter(({ to }) => to?.[0]?.address === 'sally@example.com')
        .map(({ text }) => text);
      const [, found] = texts.map((text) => /token=([\w.-]+)/.exec(text ?? '')).find(Boolean) ?? [];
      expect(found).toBeDefined();
      return found;
    });
    await seller.page.goto(`${url}/sign-in/verify?token=${token}`);
    await seller.page.getByRole('button', { name: 'Confirm' }).click();
    await seller.page.getByText('your address is confirmed').waitFor();

    await seller.page.goto(`${url}/sell`);
    await seller.page.getByLabel('Category').selectOption('cruising');
    await seller.page.getByRole('button', { name: 'Continue' }).click();
    await seller.page.getByLabel('Title').fill(title);
    await seller.page.getByLabel('Brand', { exact: true }).fill('Bavaria');
    await seller.page.getByLabel('Length (m)').fill('11.3');
    await seller.page.getByLabel('Description').fill('Well kept cruising yacht from 2015 with new sails, in Kiel.');
    await seller.page.getByLabel('Price', { exact: true }).fill('89000');
    await seller.page.getByLabel('City', { exact: true }).fill('Kiel');
    await seller.page.getByLabel('Country').selectOption('DE');
    await seller.page.getByRole('button', { name: 'Save and add photos' }).click();
    await seller.arrive(title);
    const photos = await Promise.all(
      ['harbour.jpg', 'sailing.jpg', 'cabin.jpg'].map(async (name) => ({
        name,
        mimeType: 'image/jpeg',
        buffer: await newPhoto(1_200, 900),
      })),
    );
    await seller.page.locator('input[type=file]').setInputFiles(photos);
    await seller.page.getByText('The photos have been added.').waitFor();
    await seller.page.getByRole('button', { name: 'Move to the front: Photo 2' }).click();
    await seller.page.getByText('Saved.').waitFor();
    expect(await seller.page.getByLabel('Description').first().inputValue()).toBe('sailing');
    await seller.arrive(title);
    await seller.page.getByRole('button', { name: 'Publish' }).click();
    await seller.page.getByText('It is published').waitFor();
    await seller.arrive(title);

    await buyer.page.goto(url);
    await buyer.arrive(/Quayside/);
    await buyer.page.getByRole('searchbox').first().fill('bavaria');
    await buyer.page.getByRole('searchbox').first().press('Enter');
    await buyer.arrive(/bavaria/);
    await buyer.page.getByRole('listitem').getByRole('link', { name: title }).click();
    await buyer.arrive(title);
    await buyer.page.getByRole('link', { name: 'Sign in to write to the seller' }).click();
    await buyer.arrive('Sign in');
    await register(buyer.page, 'Bob Buyer', 'bob@example.com');
    await buyer.arrive(title);
    await buyer.page.getByRole('button', { name: 'Add to favorites' }).click();
    await buyer.page.getByRole('button', { name: 'Remove from favorites' }).waitFor();
    await buyer.page.getByLabel('Your message').first().fill('Is she still for sale? I could come on Saturday.');
    await buyer.page.getByRole('button', { name: 'Write to the seller' }).click();
    await buyer.arrive('Sally Seller');

    await waitFor(async () => {
      const subjects = (await mails())
        .filter(({ to }) => to?.[0]?.address === 'sally@example.com')
        .map(({ text }) => text);
      expect(subjects.join('\n')).toContain('I could come on Saturday');
    });
    await seller.page.getByText('Menu', { exact: true }).click();
    await seller.page.getByRole('link', { name: 'Messages' }).click();
    await seller.arrive('Messages');
    await seller.page.getByRole('link', { name: /Bob Buyer/ }).click();
    await seller.arrive('Bob Buyer');
    await seller.page.getByLabel('Your message').fill('Yes, Saturday at ten.');
    await seller.page.getByRole('button', { name: 'Send' }).click();
    await seller.page.getByText('Yes, Saturday at ten.').waitFor();
    await seller.arrive('Bob Buyer');

    await buyer.page.reload();
    await buyer.page.getByText('Yes, Saturday at ten.').waitFor();
    await seller.page.getByText('Menu', { exact: true }).click();
    await seller.page.getByRole('link', { name: 'My listings' }).click();
    await seller.arrive('My listings');
    await seller.page.getByRole('link', { name: title }).click();
    await seller.page.getByText('Mark as sold').first().click();
    await seller.page.getByLabel('Who bought it?').selectOption({ label: 'Bob Buyer' });
    await seller.page.getByRole('button', { name: 'Mark as sold' }).click();
    await seller.page.getByText('It is marked as sold.').waitFor();
    await seller.arrive(title);

    await buyer.page.getByRole('link', { name: title }).click();
    await buyer.arrive(title);
    await buyer.page.getByText('Sold', { exact: true }).waitFor();
    expect([...seller.problems, ...buyer.problems]).toEqual([]);
  },
);
