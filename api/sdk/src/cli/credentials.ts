import { chmod, mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, isAbsolute, join } from 'node:path';
import { CommandError } from './command.ts';

/** The tokens of each marketplace, and the one that was logged in to last. */
export type Credentials = { current: string | undefined; tokens: Record<string, string> };

/** Where logins are kept: in XDG_CONFIG_HOME (XDG Base Directory), else in ~/.config. */
export function credentialsFile(env: NodeJS.ProcessEnv): string {
  const folder = env['XDG_CONFIG_HOME'];
  const home = folder !== undefined && isAbsolute(folder) ? folder : join(env['HOME'] ?? homedir(), '.config');
  return join(home, 'quayside', 'credentials.json');
}

/** What is kept there; nothing before the first login. */
export async function readCredentials(file: string): Promise<Credentials> {
  try {
    const { current, tokens } = JSON.parse(await readFile(file, 'utf8')) as Partial<Credentials>;
    return { current, tokens: tokens ?? {} };
  } catch (error) {
    if (error instanceof SyntaxError)
      throw new CommandError(`${file} is no JSON; remove it and log in again.`, { cause: error });
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return { current: undefined, tokens: {} };
    throw error;
  }
}

/** Replaces the file as a whole; only its owner may read it (0600). */
export async function writeCredentials(file: string, credentials: Credentials): Promise<void> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  const fresh = `${file}.${process.pid}`;
  await writeFile(fresh, `${JSON.stringify(credentials, null, 2)}\n`, { mode: 0o600 });
  await chmod(fresh, 0o600);
  await rename(fresh, file);
}
