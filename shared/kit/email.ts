import { domainToASCII, domainToUnicode } from 'node:url';

/** A dot-atom of RFC 5322 that may hold letters of every script (RFC 6531), but no blank, control or format character. */
const localPart = /^[\p{L}\p{M}\p{N}\p{P}\p{S}]+$/u;
const forbiddenInLocalPart = /["(),:;<>@[\\\]]|^\.|\.$|\.\./;
const asciiOfDomain = /^[A-Za-z0-9.-]$/;
const label = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;
const MAX_LOCAL_BYTES = 64;
const MAX_BYTES = 254;

/** Whether a text is one email address that mail can reach: a local part in any script, and a domain name with a dot, in any script. */
export function isEmail(text: string): boolean {
  return parseEmail(text) !== undefined;
}

/**
 * The canonical form that an address is stored and compared in: Unicode NFC, lower case, the domain in punycode (UTS #46).
 * It throws for what isEmail refuses.
 */
export function normalizeEmail(email: string): string {
  const canonical = parseEmail(email);
  if (canonical === undefined) throw new TypeError('This is not an email address.');
  return canonical;
}

/** A canonical address as people write it: its domain in its own script. */
export function showEmail(canonical: string): string {
  const at = canonical.lastIndexOf('@') + 1;
  return canonical.slice(0, at) + domainToUnicode(canonical.slice(at));
}

/** The part of an address before the `@`. */
export function localPartOf(email: string): string {
  return email.slice(0, email.lastIndexOf('@'));
}

function parseEmail(text: string): string | undefined {
  const at = text.lastIndexOf('@');
  if (at < 0) return undefined;
  const local = localPartOf(text).normalize('NFC').toLowerCase().normalize('NFC');
  if (!localPart.test(local) || forbiddenInLocalPart.test(local)) return undefined;
  const domain = parseDomain(text.slice(at + 1));
  if (domain === undefined) return undefined;
  const canonical = `${local}@${domain}`;
  const fits = Buffer.byteLength(local) <= MAX_LOCAL_BYTES && Buffer.byteLength(canonical) <= MAX_BYTES;
  return fits ? canonical : undefined;
}

/** The domain in punycode; undefined for a name without a dot, an IP address, and what a URL would read as something else. */
function parseDomain(text: string): string | undefined {
  for (const character of text) if (character <= '\u007F' && !asciiOfDomain.test(character)) return undefined;
  const domain = domainToASCII(text);
  const labels = domain.split('.');
  if (labels.length < 2 || !labels.every((each) => label.test(each))) return undefined;
  return /^\d+$/.test(labels.at(-1) ?? '') ? undefined : domain;
}
