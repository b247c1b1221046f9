import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';
import { errorCode } from '../../db/errors.ts';

/** openapi.yaml as text and as data. */
export type OpenApiFile = { yaml: string; document: Record<string, unknown> };

const cacheFolder = fileURLToPath(new URL('../../node_modules/.cache/quayside/', import.meta.url));
let known: OpenApiFile | undefined;

/** The contract, read once per process. */
export function readOpenApiFile(): OpenApiFile {
  if (known) return known;
  const yaml = readFileSync(new URL('../../openapi.yaml', import.meta.url), 'utf8');
  return (known = { yaml, document: parseCached(yaml) });
}

/**
 * Parses YAML, or takes the JSON that the first process to parse this very text left under its hash: the YAML takes 650 ms of
 * CPU and 100 MB, the JSON 6 ms and none to speak of. Where the folder cannot be written, every process parses the YAML.
 */
export function parseCached(yaml: string, folder = cacheFolder): OpenApiFile['document'] {
  const file = join(folder, `${createHash('sha256').update(yaml).digest('hex')}.json`);
  const cached = readJson(file);
  if (cached) return cached;
  const document = parse(yaml) as OpenApiFile['document'];
  writeWhole(folder, file, JSON.stringify(document));
  return document;
}

/** Undefined for a file that is not there, or that holds no JSON. */
function readJson(file: string): OpenApiFile['document'] | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as OpenApiFile['document'];
  } catch (error) {
    if (error instanceof SyntaxError || errorCode(error) !== undefined) return undefined;
    throw error;
  }
}

/** The file appears under its name when it is complete; a folder that refuses it stays as it is. */
function writeWhole(folder: string, file: string, text: string): void {
  const partial = `${file}.${process.pid}`;
  try {
    mkdirSync(folder, { recursive: true });
    writeFileSync(partial, text);
    renameSync(partial, file);
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
  }
}
