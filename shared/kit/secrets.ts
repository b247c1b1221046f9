import { randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { ConfigError } from './config.ts';

const secrets = z.object({
  jwtSecret: z.string().min(16),
  admin: z.object({ email: z.string(), password: z.string() }),
});

export type Secrets = z.infer<typeof secrets> & {
  /** True when this call made them: the moment to tell the operator. */
  fresh: boolean;
};

/** The secrets of an installation that was given none: made once, kept in DATA_DIR/secrets.json, readable by its owner only. DATA_DIR is there. */
export function loadSecrets(dataDir: string): Secrets {
  const file = join(dataDir, 'secrets.json');
  const made = {
    jwtSecret: randomBytes(32).toString('base64url'),
    admin: { email: 'admin@localhost.localdomain', password: randomBytes(12).toString('base64url') },
  };
  try {
    writeFileSync(file, `${JSON.stringify(made, null, 2)}\n`, { mode: 0o600, flag: 'wx' });
    return { ...made, fresh: true };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    return { ...readSecrets(file), fresh: false };
  }
}

function readSecrets(file: string): z.infer<typeof secrets> {
  const text = readFileSync(file, 'utf8');
  try {
    return secrets.parse(JSON.parse(text));
  } catch (error) {
    throw new ConfigError(
      `DATA_DIR: ${file} is damaged: put it back from a backup, or remove it, which ends every session`,
      {
        cause: error,
      },
    );
  }
}
