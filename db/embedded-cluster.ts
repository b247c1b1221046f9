import { randomBytes } from 'node:crypto';
import {
  chownSync,
  existsSync,
  lchownSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { errorCode } from './errors.ts';
import { chooseIdentity, EmbeddedError, findBinaries, run, type Binaries, type Identity } from './embedded-binaries.ts';

const temporaryPrefix = 'postgres-new-';
const accessFile = z.object({ port: z.number(), password: z.string() });

/** A cluster on disk and the way to run programs on it. */
export type Cluster = { dataDir: string; folder: string; binaries: Binaries; identity: Identity };

/** How to reach the server of a data folder; the port is 0 until it has run once. */
export type Access = z.infer<typeof accessFile>;

/** The cluster below `dataDir`, initialised when there is none; throws an EmbeddedError for one that cannot be used. */
export async function openCluster(dataDir: string, fast: boolean): Promise<Cluster> {
  mkdirSync(dataDir, { recursive: true });
  const folder = join(dataDir, 'postgres');
  const binaries = await findBinaries();
  const identity = await chooseIdentity(binaries, folder, existsSync(folder) ? statSync(folder).uid : undefined);
  const cluster = { dataDir, folder, binaries, identity };
  removeAbandoned(dataDir);
  if (!existsSync(folder)) await initialise(cluster, fast);
  await assertUsable(cluster);
  return cluster;
}

/** Reads the access to the server of `dataDir`, making the password at the first call. */
export function readAccess(dataDir: string): Access {
  const path = accessPath(dataDir);
  if (!existsSync(path)) {
    const access = { port: 0, password: randomBytes(32).toString('base64url') };
    try {
      writeFileSync(path, JSON.stringify(access), { mode: 0o600, flag: 'wx' });
    } catch (error) {
      if (errorCode(error) !== 'EEXIST') throw error;
    }
  }
  return accessFile.parse(JSON.parse(readFileSync(path, 'utf8')));
}

/** Remembers the port for the next start; a start as root leaves the file to whose it was. */
export function rememberPort(dataDir: string, port: number): void {
  const access = readAccess(dataDir);
  if (access.port === port) return;
  const path = accessPath(dataDir);
  const temporary = `${path}.${process.pid}`;
  writeFileSync(temporary, JSON.stringify({ ...access, port }), { mode: 0o600 });
  if (process.getuid?.() === 0) chownSync(temporary, statSync(path).uid, statSync(path).gid);
  renameSync(temporary, path);
}

/** The line of what a start of the server has said that tells why it failed: the last fatal one, else the last. */
export function failureIn(output: string): string {
  const lines = output.trim().split('\n');
  return withoutPrefix(lines.findLast((line) => /FATAL|PANIC/.test(line)) ?? lines.at(-1) ?? '');
}

function withoutPrefix(line: string): string {
  return line.replace(/^.*?(?=ERROR|FATAL|PANIC)/, '');
}

/** What initdb says first is the cause of all that follows. */
function initdbFailureIn(output: string): string {
  const cause = output.split('\n').find((line) => /ERROR|FATAL|PANIC/.test(line));
  return cause ? withoutPrefix(cause) : failureIn(output);
}

function accessPath(dataDir: string): string {
  return join(dataDir, 'postgres.json');
}

/** What killed initialisations left; a young one may belong to a start that is at it right now. */
function removeAbandoned(dataDir: string): void {
  for (const name of readdirSync(dataDir).filter((entry) => entry.startsWith(temporaryPrefix))) {
    const path = join(dataDir, name);
    const madeAt = statSync(path, { throwIfNoEntry: false })?.mtimeMs;
    if (madeAt !== undefined && Date.now() - madeAt > 600_000) rmSync(path, { recursive: true, force: true });
  }
}

/** A killed initdb leaves only its temporary folder behind: the cluster appears at once and complete. */
async function initialise({ dataDir, folder, binaries, identity }: Cluster, fast: boolean): Promise<void> {
  const temporary = mkdtempSync(join(dataDir, temporaryPrefix));
  const passwordFile = `${temporary}.password`;
  try {
    writeFileSync(passwordFile, readAccess(dataDir).password, { mode: 0o600 });
    const { owner } = identity;
    if (owner) for (const path of [temporary, passwordFile]) chownSync(path, owner.uid, owner.gid);
    const locale = ['--encoding=UTF8', '--locale-provider=builtin', '--builtin-locale=C.UTF-8', '--locale=C'];
    // The password is 256 random bits: stretching it would only slow down every connection.
    const login = [
      '--username=postgres',
      `--pwfile=${passwordFile}`,
      '--auth=scram-sha-256',
      '--set=scram_iterations=1',
    ];
    const safety = fast ? ['--no-sync', '--no-data-checksums'] : ['--data-checksums'];
    const args = ['-D', temporary, ...locale, ...login, ...safety, '--no-instructions'];
    const { code, output } = await run(binaries.initdb, args, identity);
    if (code !== 0)
      throw new EmbeddedError(`DATA_DIR: PostgreSQL cannot be initialised in ${dataDir}: ${initdbFailureIn(output)}`);
    publish(temporary, folder);
  } finally {
    rmSync(passwordFile, { force: true });
    rmSync(temporary, { recursive: true, force: true });
  }
}

function publish(temporary: string, folder: string): void {
  try {
    renameSync(temporary, folder);
  } catch (error) {
    // Another start was faster; its cluster has the same password.
    if (!existsSync(join(folder, 'PG_VERSION'))) throw error;
  }
}

async function assertUsable({ folder, binaries, identity }: Cluster): Promise<void> {
  const me = identity.owner?.uid ?? process.getuid?.();
  if (me !== undefined && process.getuid?.() !== 0 && statSync(folder).uid !== me)
    throw new EmbeddedError(
      `${folder} belongs to user id ${statSync(folder).uid}: start as that user or choose another DATA_DIR.`,
    );
  if (!existsSync(join(folder, 'PG_VERSION')))
    throw new EmbeddedError(`${folder} holds no complete database: choose another DATA_DIR or remove that folder.`);
  if (identity.owner && statSync(folder).uid !== identity.owner.uid) giveTo(folder, identity.owner);

  const stored = readFileSync(join(folder, 'PG_VERSION'), 'utf8').trim();
  const { output } = await run(binaries.postgres, ['--version'], identity);
  const bundled = /(?<!\d)(\d+)\./.exec(output)?.[1];
  if (stored !== bundled)
    throw new EmbeddedError(
      `${folder} was made by PostgreSQL ${stored}, this is ${bundled}: back up with the former release and restore into a new DATA_DIR.`,
    );
}

function giveTo(folder: string, owner: { uid: number; gid: number }): void {
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' }))
    lchownSync(join(folder, name), owner.uid, owner.gid);
  chownSync(folder, owner.uid, owner.gid);
}
