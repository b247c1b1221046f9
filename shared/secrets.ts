import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';

const secrets = z.object({
  jwtSecret: z.string().min(16),
  admin: z.object({ email: z.string(), password: z.string() }),
});

export type Secrets = z.infer<typeof secrets> & {
  /** True when this call made them: the moment to tell the operator. */
  fresh: boolean;
};

/** The secrets of an installation that was given none: made once, kept in DATA_DIR/secrets.json, readable by its owner only. */
export function loadSecrets(dataDir: string): Secrets {
  const file = join(dataDir, 'secrets.json');
  mkdirSync(dataDir, { recursive: true });
  const made = {
    jwtSecret: randomBytes(32).toString('base64url'),
    admin: { email: 'admin@localhost.localdomain', password: randomBytes(12).toString('base64url') },
  };
  try {
    writeFileSync(file, `${JSON.stringify(made, null, 2)}\n`, { mode: 0o600, flag: 'wx' });
    return { ...made, fresh: true };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    return { ...secrets.parse(JSON.parse(readFileSync(file, 'utf8'))), fresh: false };
  }
}
