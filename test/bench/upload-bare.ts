import { createHash, randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';

/** What a round is told, and what it answers. */
export type BareRound = { photo: string; atOnce: number; durationMs: number };
export type BareResult = { latencies: number[]; seconds: number };

sharp.cache(false);
sharp.concurrency(1);
const folder = await mkdtemp(join(tmpdir(), 'quayside-bare-'));

process.on('message', (round: BareRound) => void run(round).then((result) => process.send?.(result)));
process.on('disconnect', () => void rm(folder, { recursive: true, force: true }).then(() => process.exit(0)));
process.send?.('ready');

async function run({ photo, atOnce, durationMs }: BareRound): Promise<BareResult> {
  const bytes = await readFile(photo);
  const latencies: number[] = [];
  const startedAt = performance.now();
  const work = async () => {
    while (performance.now() - startedAt < durationMs) {
      const from = performance.now();
      await makePicture(Buffer.concat([bytes, randomBytes(8)]));
      latencies.push(performance.now() - from);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  return { latencies, seconds: (performance.now() - startedAt) / 1_000 };
}

/** The same results as an upload has, by sharp alone: an upright image, a thumbnail, a difference hash, a name, on disk. */
async function makePicture(bytes: Buffer): Promise<void> {
  const fit = (side: number) =>
    sharp(bytes)
      .autoOrient()
      .resize({ width: side, height: side, fit: 'inside', withoutEnlargement: true })
      .toColourspace('srgb');
  const webp = await fit(2_048).webp({ quality: 80, effort: 2 }).toBuffer();
  const thumbnail = await fit(400).webp({ quality: 75, effort: 2 }).toBuffer();
  await sharp(bytes).autoOrient().greyscale().resize({ width: 9, height: 8, fit: 'fill' }).raw().toBuffer();
  const name = join(folder, createHash('sha256').update(bytes).digest('hex'));
  await Promise.all([
    writeFile(`${name}.webp`, webp, { flush: true }),
    writeFile(`${name}-thumb.webp`, thumbnail, { flush: true }),
  ]);
}
