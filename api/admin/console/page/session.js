import { createStore } from './store.js';

const key = 'quayside.console';

/**
 * @typedef {{ token: string, email: string, profile?: string, role: 'moderator' | 'admin', lapsed: boolean }} Session
 * The session of this tab, and of it alone; `lapsed` once the API has refused its token.
 * @type {ReturnType<typeof createStore<Session | undefined>>}
 */
export const session = createStore(restore());

function restore() {
  try {
    const stored = JSON.parse(sessionStorage.getItem(key) ?? 'null');
    return typeof stored?.token === 'string' ? { ...stored, lapsed: false } : undefined;
  } catch {
    return undefined;
  }
}

/** @param {Omit<Session, 'lapsed'>} begun */
export function beginSession(begun) {
  sessionStorage.setItem(key, JSON.stringify(begun));
  session.write({ ...begun, lapsed: false });
}

/** Forgets the token, and keeps what is on the page for the one who logs in again. */
export function lapseSession() {
  sessionStorage.removeItem(key);
  const current = session.read();
  if (current && !current.lapsed) session.write({ ...current, token: '', lapsed: true });
}

/** Forgets the token and everything on the page. */
export function endSession() {
  sessionStorage.removeItem(key);
  session.write(undefined);
}
