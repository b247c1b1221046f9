import { execFileSync, spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statfsSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { inspectProcess } from '../../db/embedded-process.ts';
import { startEmbedded } from '../../db/embedded.ts';

const prefix = 'quayside-test-';
const MEMORY = '/dev/shm';
const ROOM_BYTES = 6 * 1024 ** 3;

/**
 * Where the folders of a run are made: in memory, if there is room and programs may be run from it, else where the system has
 * them. A database of the tests is 500 files; making them takes a disk's file system up to 300 ms of the processor.
 */
export function chooseTestRoot(): string {
  if (!existsSync(MEMORY)) return tmpdir();
  const { bavail, bsize } = statfsSync(MEMORY);
  return bavail * bsize > ROOM_BYTES && mayRunPrograms(MEMORY) ? MEMORY : tmpdir();
}

function mayRunPrograms(folder: string): boolean {
  const program = join(folder, `${prefix}program-${process.pid}`);
  writeFileSync(program, '#!/bin/sh\n', { mode: 0o755 });
  const { status } = spawnSync(program);
  rmSync(program);
  return status === 0;
}

/** A new folder that anybody may enter (a database server runs as another user), named after this process. */
export function makeTestFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), `${prefix}${process.pid}-`));
  chmodSync(folder, 0o755);
  return folder;
}

/** Removes the folders of test processes that were killed, and stops the database servers that run in them. */
export async function removeAbandonedFolders(): Promise<void> {
  for (const folder of testFoldersIn(tmpdir())) {
    const pid = Number(basename(folder).slice(prefix.length).split('-')[0]);
    const state = inspectProcess(pid);
    if (state === 'alive' || state === 'foreign') continue;
    // Those of a file are made within the one that put-back.ts has made for it.
    for (const inner of [folder, ...testFoldersIn(folder)]) await stopServerIn(inner);
    // A test of a full disk that was killed has left the disk mounted: nothing could be removed below it.
    for (const disk of mountsIn(folder)) execFileSync('umount', ['-l', disk]);
    rmSync(folder, { recursive: true, force: true });
  }
}

const testFoldersIn = (folder: string) =>
  readdirSync(folder)
    .filter((name) => name.startsWith(prefix))
    .map((name) => join(folder, name));

async function stopServerIn(folder: string): Promise<void> {
  for (const dataDir of [folder, join(folder, 'data')])
    if (existsSync(join(dataDir, 'postgres', 'postmaster.pid')))
      await (await startEmbedded({ dataDir, fast: true })).stop();
}

/** The places below a folder where something is mounted, as Linux tells them. */
function mountsIn(folder: string): string[] {
  if (!existsSync('/proc/mounts')) return [];
  const lines = readFileSync('/proc/mounts', 'utf8').split('\n');
  return lines.flatMap((line) => line.split(' ')[1] ?? []).filter((place) => place.startsWith(`${folder}/`));
}
