import { escapeHtml } from '../../shared/kit/html.ts';
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
export type Part = { paragraph: string } | { quote: string } | Link;

type Link = { link: string; label: string };

/** What a message says, in every language that the service writes. */
export type Wording<Values> = Record<Locale, (values: Values) => { subject: string; parts: readonly Part[] }>;

/** The message of a wording in one language, with the link that stops such mail where there is one. */
export function renderWording<Values>(
  wording: Wording<Values>,
  locale: Locale,
  values: Values,
  unsubscribeUrl?: string,
): Email {
  const { subject, parts } = wording[locale](values);
  return unsubscribeUrl === undefined
    ? composeEmail(locale, subject, parts)
    : withUnsubscribe(locale, subject, parts, unsubscribeUrl);
}

/** The same message with a link at its end that stops such mail, and the headers that let mail programs offer it. */
export function withUnsubscribe(locale: Locale, subject: string, parts: readonly Part[], url: string): Email {
  const composed = composeEmail(locale, subject, parts, { link: url, label: unsubscribeLabels[locale] });
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

const BRAND = 'Quayside';

// Mail programs that know dark mode keep these colours readable in it; those that drop styles leave plain text and links.
const style = `
:root { color-scheme: light dark; supported-color-schemes: light dark; }
body { margin: 0; padding: 24px 20px; font: 16px/1.55 system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif; }
main, footer { max-width: 34em; margin: 0 auto; overflow-wrap: anywhere; }
h1 { margin: 0 0 16px; font-size: 20px; line-height: 1.3; }
p { margin: 0 0 16px; }
blockquote { margin: 0 0 16px; padding: 2px 0 2px 16px; border-left: 4px solid #8a9bab; }
footer { margin-top: 32px; padding-top: 12px; border-top: 1px solid #8a9bab; font-size: 13px; }
@media (prefers-color-scheme: dark) { a.link { color: #8ec5ff; } }
`;

const button =
  'display: inline-block; padding: 11px 22px; border-radius: 6px; background-color: #0b5cad; color: #ffffff; font-weight: 600; text-decoration: none;';

/**
 * One message from its parts, as plain text and as HTML that says the same; whatever the parts hold is escaped. A link that is
 * the only one is a button. The name of the service and the footer's link come last.
 */
export function composeEmail(locale: Locale, subject: string, parts: readonly Part[], footer?: Link): Email {
  const title = oneLine(subject);
  const end = [BRAND, ...(footer ? [partAsText(footer)] : [])].join('\n\n');
  const isOnlyLink = parts.filter((part) => 'link' in part).length === 1;
  const html = `<!doctype html>
<html lang="${locale}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(title)}</title>
<style>${style}</style>
</head>
<body>
<main>
<h1>${escapeHtml(title)}</h1>
${parts.map((part) => partAsHtml(part, isOnlyLink)).join('\n')}
</main>
<footer>
<p><strong>${BRAND}</strong>${footer ? `<br>\n${linkAsHtml(footer)}` : ''}</p>
</footer>
</body>
</html>
`;
  return { subject: title, text: `${[...parts.map(partAsText), `-- \n${end}`].join('\n\n')}\n`, html };
}

function partAsText(part: Part): string {
  if ('paragraph' in part) return part.paragraph;
  return 'quote' in part ? `> ${linesOf(part.quote).join('\n> ')}` : `${part.label}:\n${part.link}`;
}

function partAsHtml(part: Part, isOnlyLink: boolean): string {
  if ('paragraph' in part) return `<p>${escapeHtml(part.paragraph)}</p>`;
  if ('quote' in part) return `<blockquote>${linesOf(part.quote).map(escapeHtml).join('<br>\n')}</blockquote>`;
  return isOnlyLink
    ? `<p><a href="${escapeHtml(part.link)}" style="${button}">${escapeHtml(part.label)}</a></p>`
    : `<p>${linkAsHtml(part)}</p>`;
}

const linkAsHtml = ({ link, label }: Link) => `<a class="link" href="${escapeHtml(link)}">${escapeHtml(label)}</a>`;

const linesOf = (text: string) => text.trim().split(/\r\n|[\n\r\v\f\u0085\u2028\u2029]/);

/** A subject is a header: no line break may end it early. */
const oneLine = (text: string) => text.replaceAll(/\s+/g, ' ').trim();
