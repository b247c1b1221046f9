import { jwtVerify, SignJWT } from 'jose';
import { LRUCache } from 'lru-cache';
import type { Clock } from '../kit/clock.ts';
import { newId } from '../kit/ids.ts';

export const SESSION_SECONDS = 604_800;
const ISSUER = 'quayside';

export type SessionClaims = { userId: string; epoch: number; sessionId: string };

/** Claims whose signature has been checked; they hold until the token's end, in milliseconds since 1970. */
type Verified = SessionClaims & { endsAt: number };

/**
 * Signs and verifies session tokens (JWT, HS256, seven days). The first secret signs, all of them verify: that is how
 * secrets are rotated. The token id carries the user's session epoch, so raising the epoch ends all earlier sessions, and the id of the
 * session's own row.
 */
export function createSessionTokens(secrets: string[], clock: Clock) {
  const keys = secrets.map((secret) => new TextEncoder().encode(secret));
  const [signingKey] = keys;
  if (!signingKey) throw new Error('a session secret is needed');

  const verified = new LRUCache<string, Verified>({ max: 10_000 });

  return {
    async sign(
      user: { id: string; role: string; session_epoch: number },
      sessionId: string = newId('session'),
    ): Promise<string> {
      const now = Math.floor(clock.now().getTime() / 1_000);
      return new SignJWT({ role: user.role })
        .setProtectedHeader({ alg: 'HS256', typ: 'JWT' })
        .setIssuer(ISSUER)
        .setSubject(user.id)
        .setIssuedAt(now)
        .setExpirationTime(now + SESSION_SECONDS)
        .setJti(`${user.session_epoch}.${sessionId}`)
        .sign(signingKey);
    },

    /** The claims of a genuine, unexpired token; undefined for anything else. The role is never read from the token. */
    async verify(token: string): Promise<SessionClaims | undefined> {
      const known = verified.get(token);
      if (known) return known.endsAt > clock.now().getTime() ? known : undefined;
      for (const key of keys) {
        const claims = await verifyWith(key, token, clock);
        if (!claims) continue;
        verified.set(token, claims);
        return claims;
      }
      return undefined;
    },
  };
}

export type SessionTokens = ReturnType<typeof createSessionTokens>;

async function verifyWith(key: Uint8Array, token: string, clock: Clock): Promise<Verified | undefined> {
  try {
    const { payload } = await jwtVerify(token, key, {
      algorithms: ['HS256'],
      issuer: ISSUER,
      currentDate: clock.now(),
      requiredClaims: ['sub', 'exp', 'iat', 'jti'],
    });
    const [epochText, sessionId] = payload.jti?.split('.', 2) ?? [];
    const epoch = Number(epochText);
    if (!payload.sub || payload.exp === undefined || !Number.isInteger(epoch) || !sessionId) return undefined;
    return { userId: payload.sub, epoch, sessionId, endsAt: payload.exp * 1_000 };
  } catch {
    return undefined;
  }
}
