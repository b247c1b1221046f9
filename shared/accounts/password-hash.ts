/** An argon2id hash with all that it takes to make it again. */
export type PasswordHash = { memory: number; passes: number; parallelism: number; salt: Buffer; hash: Buffer };

const shape =
  /^\$argon2id\$v=19\$(?<parameters>[mtp]=\d+,[mtp]=\d+,[mtp]=\d+)\$(?<salt>[A-Za-z0-9+/]+)\$(?<hash>[A-Za-z0-9+/]+)$/;

/** The hash in the PHC string format: `$argon2id$v=19$m=…,t=…,p=…$salt$hash`. */
export function formatPasswordHash({ memory, passes, parallelism, salt, hash }: PasswordHash): string {
  return `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$${encode(salt)}$${encode(hash)}`;
}

/** The hash that a PHC string holds, its parameters in any order; undefined for anything else. */
export function parsePasswordHash(text: string): PasswordHash | undefined {
  const parts = shape.exec(text)?.groups;
  if (!parts) return undefined;
  const parameters = new Map((parts.parameters ?? '').split(',').map((each) => [each[0], Number(each.slice(2))]));
  const [memory, passes, parallelism] = [parameters.get('m'), parameters.get('t'), parameters.get('p')];
  if (memory === undefined || passes === undefined || parallelism === undefined) return undefined;
  const [salt, hash] = [Buffer.from(parts.salt ?? '', 'base64'), Buffer.from(parts.hash ?? '', 'base64')];
  return { memory, passes, parallelism, salt, hash };
}

const encode = (bytes: Buffer) => bytes.toString('base64').replace(/={1,2}$/, '');
