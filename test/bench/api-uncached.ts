import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readConfig } from '../../shared/kit/config.ts';
import { readMarketplace } from '../../shared/profiles/read-profile.ts';

// Loaded with --import before api/main.ts: the same process in every other respect, but every answer is computed.
const document = { ...(await readMarketplace(readConfig())), response_cache: false };
const file = join(mkdtempSync(join(tmpdir(), 'quayside-uncached-')), 'marketplace.json');
writeFileSync(file, JSON.stringify(document));
process.env.MARKETPLACE_FILE = file;
