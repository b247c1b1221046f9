import { readFile } from 'node:fs/promises';
import { ImageError } from '../../shared/adapters/images-error.ts';
import { processImage } from '../../shared/adapters/images.ts';
import { dataFile } from '../support/data.ts';

type Row = { file: string; width: number; height: number; expected: string };

/** The rows of the image set's manifest: file name, header size in pixels (0 when unknown), suggested outcome. */
export function parseManifest(csv: string): Row[] {
  const [header = [], ...lines] = csv.trim().split(/\r?\n/).map(splitLine);
  const field = (line: string[], name: string) => line[header.indexOf(name)] ?? '';
  return lines.map((line) => ({
    file: field(line, 'file'),
    width: Number(field(line, 'width')),
    height: Number(field(line, 'height')),
    expected: field(line, 'suggested_outcome'),
  }));
}

function splitLine(line: string): string[] {
  return [...line.matchAll(/(?:^|,)(?:"([^"]*)"|([^,]*))/g)].map((match) => match[1] ?? match[2] ?? '');
}

/** True when the outcome ('accepted' or a refusal) is what the manifest row demands or leaves open. */
export function meetsExpectation(row: Pick<Row, 'expected'>, outcome: string): boolean {
  if (row.expected.startsWith('400 or accept')) return true;
  return row.expected.startsWith('accept') === (outcome === 'accepted');
}

/** Processes every file of the image set once and prints its outcome against the manifest, ms per megapixel, and RSS. */
export async function benchImages() {
  const folder = dataFile('images-real');
  if (!folder) return;
  const rows = parseManifest(await readFile(`${folder}/manifest.csv`, 'utf8'));
  let [unmet, totalMs, totalMegapixels, peakRss] = [0, 0, 0, 0];
  for (const row of rows) {
    const input = await readFile(`${folder}/${row.file}`);
    const start = performance.now();
    const outcome = await processImage(input).then(
      (image) => `accepted ${image.width}x${image.height} ${image.webp.length} B`,
      (error: unknown) => {
        if (error instanceof ImageError) return error.reason;
        throw error;
      },
    );
    const ms = performance.now() - start;
    const megapixels = (row.width * row.height) / 1e6;
    if (outcome.startsWith('accepted')) {
      totalMs += ms;
      totalMegapixels += megapixels;
    }
    const met = meetsExpectation(row, outcome.split(' ', 1).join());
    if (!met) unmet += 1;
    peakRss = Math.max(peakRss, process.memoryUsage.rss());
    console.log(
      `${met ? 'ok  ' : 'MISS'} ${row.file.padEnd(58)} ${ms.toFixed(0).padStart(5)} ms ${outcome} (${row.expected})`,
    );
  }
  const rss = (bytes: number) => `${(bytes / 1e6).toFixed(0)} MB`;
  console.log(
    `${rows.length} files, ${unmet} not as the manifest says; ${(totalMs / totalMegapixels).toFixed(0)} ms per megapixel of ` +
      `${totalMegapixels.toFixed(1)} accepted; RSS ${rss(process.memoryUsage.rss())}, at most ${rss(peakRss)}`,
  );
}

if (import.meta.main) await benchImages();
