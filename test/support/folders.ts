import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspectProcess } from '../../db/embedded-process.ts';
import { startEmbedded } from '../../db/embedded.ts';

const prefix = 'quayside-test-';

/** A new folder that anybody may enter (a database server runs as another user), named after this process. */
export function makeTestFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), `${prefix}${process.pid}-`));
  chmodSync(folder, 0o755);
  return folder;
}

/** Removes the folders of test processes that were killed, and stops the database servers that run in them. */
export async function removeAbandonedFolders(): Promise<void> {
  const names = readdirSync(tmpdir()).filter((name) => name.startsWith(prefix));
  for (const name of names) {
    const state = inspectProcess(Number(name.slice(prefix.length).split('-')[0]));
    if (state === 'alive' || state === 'foreign') continue;
    const folder = join(tmpdir(), name);
    for (const dataDir of [folder, join(folder, 'data')])
      if (existsSync(join(dataDir, 'postgres', 'postmaster.pid')))
        await (await startEmbedded({ dataDir, fast: true })).stop();
    // A test of a full disk that was killed has left the disk mounted: nothing could be removed below it.
    for (const disk of mountsIn(folder)) execFileSync('umount', ['-l', disk]);
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The places below a folder where something is mounted, as Linux tells them. */
function mountsIn(folder: string): string[] {
  if (!existsSync('/proc/mounts')) return [];
  const lines = readFileSync('/proc/mounts', 'utf8').split('\n');
  return lines.flatMap((line) => line.split(' ')[1] ?? []).filter((place) => place.startsWith(`${folder}/`));
}
