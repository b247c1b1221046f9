import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium, type Page } from 'playwright';
import sharp from 'sharp';
import { findBrowser } from '../scrapers/load/browser-launch.ts';
import { reservePort } from '../shared/kit/reserve-port.ts';

// npm run screenshots [-- FOLDER]: fills a demo in a temporary folder and writes what the README shows of it, below .github/.
const WIDTH = 1_280;
const HEIGHT = 860;
const MAX_BYTES = 150_000;
const ADMIN = { email: 'admin@demo.example', password: 'screenshots of the demo' };

const root = new URL('..', import.meta.url);
const folder = process.argv[2] ?? fileURLToPath(new URL('.github', root));
const dataDir = mkdtempSync(join(tmpdir(), 'quayside-screenshots-'));
const port = await reservePort('127.0.0.1', 0, 0);
const base = `http://localhost:${port}`;
const fleet = spawn(process.execPath, ['shared/boot/launch.js', 'shared/boot/start.ts', '--demo'], {
  cwd: root,
  env: {
    ...process.env,
    PORT: String(port),
    DATA_DIR: dataDir,
    ADMIN_EMAIL: ADMIN.email,
    ADMIN_PASSWORD: ADMIN.password,
  },
  stdio: ['ignore', 'pipe', 'inherit'],
});
const ended = once(fleet, 'exit');
try {
  const listing = await findListing();
  await takeAll(listing);
} finally {
  fleet.kill('SIGTERM');
  await ended;
  rmSync(dataDir, { recursive: true, force: true });
}

/** The address of the listing that the demo recommends, once it is complete. */
async function findListing(): Promise<string> {
  let printed = '';
  for await (const chunk of fleet.stdout) {
    process.stdout.write(chunk as Buffer);
    printed += String(chunk);
    const [, address] = /Listing +(http\S+)[\s\S]*Docs/.exec(printed.split('To look at').at(1) ?? '') ?? [];
    if (address) return address;
  }
  throw new Error('the demo ended before it was complete');
}

async function takeAll(listing: string): Promise<void> {
  const browser = await chromium.launch({ executablePath: await findBrowser(undefined), args: ['--no-sandbox'] });
  try {
    const page = await browser.newPage({
      viewport: { width: WIDTH, height: HEIGHT },
      colorScheme: 'light',
      locale: 'en-US',
    });
    await page.goto(`${base}/`);
    await take(page, 'home');
    await page.goto(listing);
    await take(page, 'listing');
    await page.goto(`${base}/admin`);
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
