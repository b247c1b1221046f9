import { api } from './api.js';
import { html } from './html.js';

const passkeys = globalThis.PublicKeyCredential;

/** Whether this browser has passkeys that a page may ask for. */
export const hasPasskeys = Boolean(passkeys?.parseRequestOptionsFromJSON);

const notUsed = () => {
  throw new Error('The passkey was not used. Try again, or choose another way.');
};

async function logInWithPasskey() {
  const options = await api.post('/api/auth/passkey/options', undefined, { token: '' });
  const publicKey = passkeys.parseRequestOptionsFromJSON(options);
  const credential = await navigator.credentials.get({ publicKey }).catch(notUsed);
  const { id, rawId, type, response } = credential.toJSON();
  return api.post('/api/auth/passkey', { credential: { id, rawId, type, response } }, { token: '' });
}

/** Makes a passkey in this browser for the account of a session. */
export async function addPasskey(token) {
  const options = await api.post('/api/me/passkeys/options', undefined, { token });
  const publicKey = passkeys.parseCreationOptionsFromJSON(options);
  const credential = await navigator.credentials.create({ publicKey }).catch(notUsed);
  const { id, rawId, type, response } = credential.toJSON();
  const { attestationObject, clientDataJSON, transports } = response;
  const kept = { attestationObject, clientDataJSON, transports };
  await api.post('/api/me/passkeys', { name: 'Console', credential: { id, rawId, type, response: kept } }, { token });
}

/** Logs in with a passkey of this browser, where it has passkeys. */
export function PasskeyButton({ busy, attempt }) {
  if (!hasPasskeys) return null;
  return html`<button type="button" aria-disabled=${busy} onClick=${() => attempt(logInWithPasskey)}>
    Use a passkey
  </button>`;
}
