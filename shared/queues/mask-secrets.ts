const MAX_DEPTH = 8;
const MAX_ENTRIES = 100;
const MAX_TEXT = 2_000;

const secretNames = /token|secret|passw|credential|authorization|cookie|signature|api_?key|private|otp|recovery/i;
/** What opens something by itself: our keys and webhook secrets, JSON web tokens. */
const secretTexts = /(?<![\w-])(?:svc_[\w-]{8}|whsec_[\w+/=-]{8}|eyJ[\w-]{8})[\w+/=.-]*/g;
const tokenInLink = /([?#&](?:token|code|key|secret|signature)=)[^&#\s"]+/gi;
const credentialsInUrl = /(\bhttps?:\/\/)[^/\s@"]+@/gi;
const addresses = /(?<![\p{L}\p{N}._%+-])([\p{L}\p{N}._%+-])[\p{L}\p{N}._%+-]*(?=@[\p{L}\p{N}])/gu;
const networks = /\b(\d{1,3}\.\d{1,3})\.\d{1,3}\.\d{1,3}\b/g;
const idOfThing = /^(?:lst|usr|svs|msg|cnv|rent|rev|whk|whd|flg|scr|run|ddg|bkg|pay|apk)_[0-9A-HJKMNP-TV-Z]{26}$/;

/**
 * A JSON value as a person may be shown it: what is secret by its name or by its form is left out, addresses of people and of networks
 * are cut short, and what is too deep, too many or too long ends with an ellipsis.
 */
export function maskSecrets(value: unknown, depth = 0): unknown {
  if (typeof value === 'string') return maskText(value);
  if (typeof value !== 'object' || value === null) return value;
  if (depth >= MAX_DEPTH) return '…';
  if (Array.isArray(value)) {
    const shown = value.slice(0, MAX_ENTRIES).map((each) => maskSecrets(each, depth + 1));
    return value.length > shown.length ? [...shown, `… ${value.length - shown.length} more`] : shown;
  }
  const entries = Object.entries(value).slice(0, MAX_ENTRIES);
  return Object.fromEntries(
    entries.map(([name, each]) => [
      name,
      secretNames.test(name) && each !== null && typeof each !== 'boolean' ? '***' : maskSecrets(each, depth + 1),
    ]),
  );
}

const maskText = (text: string): string =>
  cut(text)
    .replaceAll(secretTexts, '***')
    .replaceAll(tokenInLink, '$1***')
    .replaceAll(credentialsInUrl, '$1***@')
    .replaceAll(addresses, '$1***')
    .replaceAll(networks, '$1.*.*');

const cut = (text: string) => (text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}…` : text);

/** The first id of a thing in what a job is given; null where there is none. */
export function findSubject(value: unknown, depth = 0): string | null {
  if (typeof value === 'string') return idOfThing.test(value) ? value : null;
  if (typeof value !== 'object' || value === null || depth >= 4) return null;
  for (const each of Object.values(value).slice(0, MAX_ENTRIES)) {
    const found = findSubject(each, depth + 1);
    if (found !== null) return found;
  }
  return null;
}
