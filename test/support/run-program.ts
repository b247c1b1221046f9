import { spawn } from 'node:child_process';
import { once } from 'node:events';

export type ProgramResult = { code: number | null; stdout: string; stderr: string };

/** Runs a program to its end with these variables alone, its standard input from `input`; this process goes on serving meanwhile. */
export async function runProgram(
  program: string,
  args: string[],
  { env, input = '', cwd }: { env: Record<string, string>; input?: string; cwd?: string },
): Promise<ProgramResult> {
  const child = spawn(program, args, { env, cwd, stdio: 'pipe' });
  let [stdout, stderr] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  // A program that reads nothing may be gone before this is written.
  child.stdin.on('error', () => undefined);
  child.stdin.end(input);
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, stdout, stderr };
}
