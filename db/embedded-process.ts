import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { errorCode } from './errors.ts';

export type PidFile = { pid: number; port: number };

/** A process id larger than any system hands out. */
const nobodysPid = 2_147_483_647;

/** What the server of this cluster wrote about itself, or undefined when it stopped cleanly. */
export function readPidFile(cluster: string): PidFile | undefined {
  const path = join(cluster, 'postmaster.pid');
  if (!existsSync(path)) return undefined;
  const lines = readFileSync(path, 'utf8').split('\n');
  return { pid: Number(lines[0]), port: Number(lines[3]) };
}

/**
 * Makes the pid file of a server that is gone name nobody. The file itself stays, because PostgreSQL reads in it which
 * shared memory to check before it trusts that no child of the old server still writes.
 */
export function disownPidFile(cluster: string): void {
  const path = join(cluster, 'postmaster.pid');
  writeFileSync(path, readFileSync(path, 'utf8').replace(/^-?\d+/, String(nobodysPid)));
}

/**
 * Whether a server may still live under this process id: `zombie` is one that ended and was not reaped, `foreign` another
 * program that took over the number. What cannot be told apart counts as alive.
 */
export function inspectProcess(pid: number): 'alive' | 'gone' | 'zombie' | 'foreign' {
  if (!Number.isInteger(pid) || pid <= 0) return 'gone';
  try {
    process.kill(pid, 0);
  } catch (error) {
    if (errorCode(error) === 'ESRCH') return 'gone';
  }
  const { state, command } = describeProcess(pid);
  if (state.startsWith('Z')) return 'zombie';
  return command === '' || command.includes('postgres') ? 'alive' : 'foreign';
}

function describeProcess(pid: number): { state: string; command: string } {
  try {
    if (process.platform === 'linux') {
      const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
      const end = stat.lastIndexOf(')');
      return { state: stat.slice(end + 2, end + 3), command: stat.slice(stat.indexOf('(') + 1, end) };
    }
    if (process.platform === 'win32') return { state: '', command: '' };
    const line = execFileSync('ps', ['-o', 'stat=,comm=', '-p', String(pid)], { encoding: 'utf8' }).trim();
    return { state: line.split(/\s+/, 1)[0] ?? '', command: line.replace(/^\S+\s*/, '') };
  } catch {
    return { state: '', command: '' };
  }
}
