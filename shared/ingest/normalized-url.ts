import { invalid } from '../kit/errors.ts';

const MAX_LENGTH = 2048;

// Parameters that tell where a visitor came from or who they are, never which page it is.
const trackingParameters = new Set(
  `gclid gclsrc gbraid wbraid dclid gad_source gad_campaignid srsltid fbclid igshid igsh msclkid yclid ysclid ttclid twclid
   li_fat_id epik rdt_cid sccid mc_cid mc_eid mkt_tok _hsenc _hsmi __hstc __hssc __hsfp hsctatracking vero_id vero_conv
   oly_anon_id oly_enc_id wickedid s_cid icid ncid cmpid _ga _gl _ke _openstat zanpid irclickid irgwc clickid awc
   ml_subscriber ml_subscriber_hash dm_i ef_id s_kwcid at_medium at_campaign phpsessid jsessionid aspsessionid`.split(
    /\s+/,
  ),
);
const trackingPrefixes = /^(?:utm|hsa|mtm|pk|piwik|matomo)_/;
const sessionInPath = /;(?:jsessionid|phpsessid)=[^/;?#]*/gi;
const unreserved = /[A-Za-z0-9\-._~]/;

/**
 * The form under which a page is known, at most 2,048 characters: scheme and host in small letters, no default port,
 * credentials, tracking or session parameters, fragment or trailing slash; parameters sorted by name (equal names keep their
 * order), percent-encoding in one spelling. Normalising twice changes nothing. http and https, and www and the bare host,
 * stay apart: a site may serve different pages there. Throws a validation_error for what is no http(s) URL or too long.
 */
export function normalizeUrl(url: string): string {
  const parsed = parse(url);
  const host = parsed.host.replace(/(?<!\.)\.+(?=:|$)/, '');
  if (host === '') throw refused('The URL names no host.');
  const path = canonicalEncoding(parsed.pathname).replace(/(?<!\/)\/+$/, '');
  const query = sortedParameters(parsed.search.slice(1));
  const normalized = `${parsed.protocol}//${host}${path}${query === '' ? '' : `?${query}`}`;
  if (normalized.length > MAX_LENGTH) throw refused(`The URL is longer than ${MAX_LENGTH} characters when encoded.`);
  return normalized;
}

function parse(url: string): URL {
  // Parsers drop tabs and line breaks anywhere; gone first, they cannot hide a session id.
  const parsed = URL.parse(
    url
      .trim()
      .replaceAll(/[\t\r\n]/g, '')
      .replaceAll(sessionInPath, ''),
  );
  if (!parsed) throw refused('The URL is not an absolute URL.');
  if (parsed.protocol !== 'http:' && parsed.protocol !== 'https:')
    throw refused('The URL is not an http or https URL.');
  return parsed;
}

function refused(message: string) {
  return invalid(message, [{ path: '/url', message }]);
}

function sortedParameters(query: string): string {
  if (query === '') return '';
  const parameters: { name: string; text: string }[] = [];
  for (const part of query.split('&')) {
    if (part === '') continue;
    // In a query `+` and `%20` both read as a space.
    const text = canonicalEncoding(part.replaceAll('+', '%20'));
    const name = text.split('=', 1)[0] ?? '';
    if (!isTracking(name.toLowerCase())) parameters.push({ name, text });
  }
  parameters.sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
  return parameters.map(({ text }) => text).join('&');
}

function isTracking(name: string): boolean {
  return trackingParameters.has(name) || trackingPrefixes.test(name);
}

/** Escapes only what must be escaped: letters, digits and -._~ stand as they are, hexadecimal digits are capitals. */
function canonicalEncoding(text: string): string {
  if (!text.includes('%')) return text;
  return text.replaceAll(/%([0-9A-Fa-f]{2})?/g, (_, hex: string | undefined) => {
    if (hex === undefined) return '%25';
    const character = String.fromCharCode(Number.parseInt(hex, 16));
    return unreserved.test(character) ? character : `%${hex.toUpperCase()}`;
  });
}
