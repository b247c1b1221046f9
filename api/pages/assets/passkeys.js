// What only a browser can do of passkeys: it makes them, and signs with them. Without this script the other ways to sign in stay.
const { PublicKeyCredential: passkeys } = globalThis;

async function ask({ dataset }, how = {}) {
  const options = JSON.parse(dataset.options);
  if (dataset.passkey === 'create')
    return navigator.credentials.create({ publicKey: passkeys.parseCreationOptionsFromJSON(options) });
  return navigator.credentials.get({ publicKey: passkeys.parseRequestOptionsFromJSON(options), ...how });
}

function send(form, credential) {
  const { id, rawId, type, response } = credential.toJSON();
  form.elements.credential.value = JSON.stringify({ id, rawId, type, response });
  form.submit();
}

/** Offers passkeys among what the browser fills into the field of the address, until the button asks for one. */
async function offerInField(form, { signal }) {
  if (!(await passkeys.isConditionalMediationAvailable?.())) return;
  // It ends when the button is pressed, or the page is left.
  const credential = await ask(form, { mediation: 'conditional', signal }).catch(() => undefined);
  if (credential) send(form, credential);
}

function open(form) {
  const waiting = new AbortController();
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    waiting.abort();
    const failure = form.querySelector('[role=alert]');
    failure.hidden = true;
    try {
      send(form, await ask(form));
    } catch {
      failure.hidden = false;
    }
  });
  if ('offered' in form.dataset) void offerInField(form, waiting);
}

for (const form of document.querySelectorAll('form[data-passkey]'))
  if (passkeys?.parseCreationOptionsFromJSON) open(form);
  else form.hidden = true;
