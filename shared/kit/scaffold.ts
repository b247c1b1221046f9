import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** `text` goes before the last place where `before` stands in the file. */
export type Insertion = { file: string; before: string; text: string };

/** Writes new files and lines into known ones, formatted; it throws, with nothing written, when a file exists or a place does not. */
export function writeScaffold(files: Record<string, string>, insertions: Insertion[]): void {
  const texts = new Map<string, string>();
  for (const [file, text] of Object.entries(files)) {
    if (existsSync(join(root, file))) throw new Error(`${file} exists already.`);
    texts.set(file, text);
  }
  for (const { file, before, text } of insertions) {
    const known = texts.get(file) ?? readFileSync(join(root, file), 'utf8');
    const place = known.lastIndexOf(before);
    if (place < 0) throw new Error(`${file} has no ${JSON.stringify(before)}, before which the new lines go.`);
    texts.set(file, known.slice(0, place) + text + known.slice(place));
  }
  for (const [file, text] of texts) {
    mkdirSync(dirname(join(root, file)), { recursive: true });
    writeFileSync(join(root, file), text);
  }
  const formatted = [...texts.keys()].filter((file) => file.endsWith('.ts'));
  execFileSync(process.execPath, [join(root, 'node_modules/oxfmt/bin/oxfmt'), ...formatted], {
    cwd: root,
    stdio: 'ignore',
  });
  console.log(['Written:', ...texts.keys()].join('\n  '));
}

/** `send-reminders` -> `sendReminders`. */
export const toCamelCase = (kebab: string) => kebab.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase());

/** Runs the work of a scaffolding command; its errors are one line and exit code 1. */
export function runScaffold(write: () => void): void {
  try {
    write();
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = 1;
  }
}
