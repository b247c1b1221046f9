import type { Locale } from '../../shared/profiles/profile.ts';

export type Email = {
  subject: string;
  text: string;
  html: string;
  replyTo?: string;
  /** Where one click, or one POST of a mail program, ends such mail (RFC 8058). */
  unsubscribeUrl?: string;
};

/** A quote is what somebody else wrote: it keeps its lines, and cannot be taken for ours. */
export type Part = { paragraph: string } | { quote: string } | { link: string; label: string };

/** What a message says, in every language that the service writes. */
export type Wording<Values> = Record<Locale, (values: Values) => { subject: string; parts: readonly Part[] }>;

/** The message of a wording in one language. */
export function renderWording<Values>(wording: Wording<Values>, locale: Locale, values: Values): Email {
  const { subject, parts } = wording[locale](values);
  return composeEmail(locale, subject, parts);
}

/** The same message with a link at its end that stops such mail, and the headers that let mail programs offer it. */
export function withUnsubscribe(locale: Locale, subject: string, parts: readonly Part[], url: string): Email {
  const composed = composeEmail(locale, subject, [...parts, { link: url, label: unsubscribeLabels[locale] }]);
  return { ...composed, unsubscribeUrl: url };
}

const unsubscribeLabels: Record<Locale, string> = {
  en: 'Stop these mails',
  es: 'Dejar de recibir estos correos',
  fr: 'Ne plus recevoir ces messages',
  de: 'Diese Mails abbestellen',
  it: 'Non ricevere più questi messaggi',
  ko: '이 메일 그만 받기',
  ja: 'このメールの配信を停止する',
};

/** One message from its parts, as plain text and as HTML that says the same; whatever the parts hold is escaped. */
export function composeEmail(locale: Locale, subject: string, parts: readonly Part[]): Email {
  const text = parts.map(partAsText).join('\n\n');
  const body = parts.map(partAsHtml);
  const html = `<!doctype html>
<html lang="${locale}">
<meta charset="utf-8">
<title>${escapeHtml(subject)}</title>
<body style="font-family: system-ui, sans-serif; line-height: 1.5; max-width: 36em">
${body.join('\n')}
</body>
</html>
`;
  return { subject: oneLine(subject), text: `${text}\n`, html };
}

function partAsText(part: Part): string {
  if ('paragraph' in part) return part.paragraph;
  return 'quote' in part ? `> ${linesOf(part.quote).join('\n> ')}` : `${part.label}:\n${part.link}`;
}

function partAsHtml(part: Part): string {
  if ('paragraph' in part) return `<p>${escapeHtml(part.paragraph)}</p>`;
  if ('quote' in part) return `<blockquote>${linesOf(part.quote).map(escapeHtml).join('<br>\n')}</blockquote>`;
  return `<p><a href="${escapeHtml(part.link)}">${escapeHtml(part.label)}</a></p>`;
}

const linesOf = (text: string) => text.trim().split(/\r\n|[\n\r\v\f\u0085\u2028\u2029]/);

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

const escapeHtml = (text: string) => text.replaceAll(/[&<>"']/g, (character) => entities[character] ?? character);

/** A subject is a header: no line break may end it early. */
const oneLine = (text: string) => text.replaceAll(/\s+/g, ' ').trim();
