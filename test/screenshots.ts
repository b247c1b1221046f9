import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium, type Page } from 'playwright';
import sharp from 'sharp';
import { findBrowser } from '../scrapers/load/browser-launch.ts';
import { startDemo, type DemoFleet } from './support/demo-fleet.ts';

// npm run screenshots [-- FOLDER]: fills a demo in a temporary folder and writes what the README shows of it, below .github/.
const WIDTH = 1_280;
const HEIGHT = 860;
const MAX_BYTES = 150_000;
const ADMIN = { email: 'admin@demo.example', password: 'screenshots of the demo' };

const folder = process.argv[2] ?? fileURLToPath(new URL('../.github', import.meta.url));
const demo = await startDemo({ ADMIN_EMAIL: ADMIN.email, ADMIN_PASSWORD: ADMIN.password });
try {
  await takeAll(demo);
} finally {
  await demo.stop();
}

async function takeAll({ url, listing }: DemoFleet): Promise<void> {
  const browser = await chromium.launch({ executablePath: await findBrowser(undefined), args: ['--no-sandbox'] });
  try {
    const page = await browser.newPage({
      viewport: { width: WIDTH, height: HEIGHT },
      colorScheme: 'light',
      locale: 'en-US',
    });
    await page.goto(`${url}/`);
    await take(page, 'home');
    await page.goto(listing);
    await take(page, 'listing');
    await page.goto(`${url}/admin`);
    await page.getByLabel('Email').fill(ADMIN.email);
    await page.getByLabel('Password').fill(ADMIN.password);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Overview' }).first().waitFor();
    await page.getByText('loading …').first().waitFor({ state: 'detached' });
    await take(page, 'console');
  } finally {
    await browser.close();
  }
}

/** A WebP of what stands on the screen when nothing loads any more. */
async function take(page: Page, name: string): Promise<void> {
  await page.waitForLoadState('networkidle');
  const webp = await sharp(await page.screenshot())
    .webp({ quality: 82, effort: 6 })
    .toBuffer();
  if (webp.length > MAX_BYTES) throw new Error(`${name}.webp has ${webp.length} bytes, more than ${MAX_BYTES}`);
  writeFileSync(join(folder, `${name}.webp`), webp);
  console.log(`${name}.webp: ${(webp.length / 1_000).toFixed(0)} kB`);
}
