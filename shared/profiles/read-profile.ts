import { readFileSync } from 'node:fs';
import { extname } from 'node:path';
import { z } from 'zod';
import { ConfigError, type Config } from '../kit/config.ts';
import type { Profile } from './profile.ts';
import { marketplaceSchema } from './schema.ts';

/** Sections that a file need not tell whole: what it leaves out is as in general.json. */
const INHERITED = ['statuses', 'limits', 'search'] as const;

/** A marketplace as its file says it: JSON, before it is checked. */
export type MarketplaceDocument = Record<string, unknown>;

const documents = new Map<string, MarketplaceDocument>();
const profiles = new Map<string, Profile>();

/** The marketplace of a file that ships with the service. */
export function profileOf(name: Config['profile']): Profile {
  const known = profiles.get(name) ?? parseMarketplace(documentOf(name));
  profiles.set(name, known);
  return known;
}

/**
 * The document of the marketplace that the configuration names: MARKETPLACE_FILE, else the one of MARKETPLACE_PROFILE. What
 * cannot be read or used throws a ConfigError of one line, which names the place in the file.
 */
export async function readMarketplace({
  profile,
  marketplaceFile,
}: Pick<Config, 'profile' | 'marketplaceFile'>): Promise<MarketplaceDocument> {
  if (marketplaceFile === undefined) return documentOf(profile);
  const refuse = (reason: string) => new ConfigError(`MARKETPLACE_FILE: ${marketplaceFile}: ${reason}`);
  const written = await parseFile(marketplaceFile).catch((error: Error) => {
    throw refuse(error.message.split('\n', 1)[0] ?? '');
  });
  const document = z.record(z.string(), z.unknown()).safeParse(written);
  if (!document.success) throw refuse('must be a map of sections, such as name and categories');
  const whole = inherit(document.data);
  const checked = marketplaceSchema.safeParse(whole);
  if (!checked.success) throw refuse(tellIssues(checked.error));
  return whole;
}

/** The marketplace of a checked document; a ZodError, with the place of what is wrong, for any other. */
export const parseMarketplace = (document: MarketplaceDocument): Profile => marketplaceSchema.parse(document);

/** The first issue with its place (`categories[2].name.de`), and how many more there are. */
export function tellIssues({ issues }: z.ZodError): string {
  const [first] = issues;
  const rest = issues.length > 1 ? ` (and ${issues.length - 1} more)` : '';
  return `${z.core.toDotPath(first?.path ?? [])}: ${first?.message}${rest}`.replace(/^: /, '');
}

function documentOf(name: Config['profile']): MarketplaceDocument {
  const known = documents.get(name) ?? z.record(z.string(), z.unknown()).parse(readJson(name));
  documents.set(name, known);
  return known;
}

const readJson = (name: string): unknown =>
  JSON.parse(readFileSync(new URL(`./${name}.json`, import.meta.url), 'utf8'));

async function parseFile(path: string): Promise<unknown> {
  const text = readFileSync(path, 'utf8');
  if (extname(path) === '.json') return JSON.parse(text);
  const { parse } = await import('yaml');
  return parse(text);
}

function inherit(document: MarketplaceDocument): MarketplaceDocument {
  const general = documentOf('general');
  return { ...document, ...Object.fromEntries(INHERITED.map((name) => [name, merge(general[name], document[name])])) };
}

/** Maps are merged key by key, all else replaces. */
function merge(base: unknown, given: unknown): unknown {
  if (given === undefined) return base;
  if (!isMap(base) || !isMap(given)) return given;
  const keys = new Set([...Object.keys(base), ...Object.keys(given)]);
  return Object.fromEntries([...keys].map((key) => [key, merge(base[key], given[key])]));
}

const isMap = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
