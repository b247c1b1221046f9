import type { Config } from '../../shared/kit/config.ts';
import { textColorOn } from '../../shared/kit/contrast.ts';
import { escapeHtml } from '../../shared/kit/html.ts';
import type { Locale } from '../../shared/profiles/profile.ts';
import { footerWords } from './footer-words.ts';

/** What a message says, before it is laid out. */
export type Message = {
  subject: string;
  parts: readonly Part[];
  replyTo?: string;
  /** What the link ends that stops such mail, where that is less than all mail that is not essential. */
  unsubscribeToken?: string;
};

/** A quote is what somebody else wrote: it keeps its lines, and cannot be taken for ours. The last link is the button. */
export type Part = { paragraph: string } | { quote: string } | Link;

type Link = { link: string; label: string; card?: Card | undefined };

/** What a link leads to, as it is shown: its photo, title and price. */
export type Card = { title: string; imageUrl?: string | undefined; price: string; place?: string | undefined };

/** What a message says, in every language that the service writes. */
export type Wording<Values> = Record<
  Locale,
  (values: Values) => {
    subject: string;
    parts: readonly Part[];
  }
>;

export type Email = { subject: string; text: string; html: string; replyTo?: string };

/** The look of all mails of a service, and who answers for them. */
export type Letterhead = { brand: Config['brand']; homeUrl: string };

type Frame = Letterhead & {
  locale: Locale;
  /** What the button leads to. */
  card?: Card | undefined;
  unsubscribeUrl?: string | undefined;
};

// Mail programs that know dark mode keep these colours readable in it; those that drop styles leave plain text and links.
const style = `
:root { color-scheme: light dark; supported-color-schemes: light dark; }
body { margin: 0; padding: 24px 20px; font: 16px/1.55 system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif; }
header, main, footer { max-width: 544px; margin: 0 auto; overflow-wrap: anywhere; }
header { margin-bottom: 24px; font-weight: 700; }
header a { color: inherit; text-decoration: none; }
h1 { margin: 0 0 16px; font-size: 20px; line-height: 1.3; }
p { margin: 0 0 16px; }
blockquote { margin: 0 0 16px; padding: 2px 0 2px 16px; border-left: 4px solid #8a9bab; }
footer { margin-top: 32px; padding-top: 12px; border-top: 1px solid #8a9bab; font-size: 13px; }
.card { width: 100%; margin: 0 0 16px; border: 1px solid #8a9bab; border-radius: 8px; border-collapse: separate; border-spacing: 0; overflow: hidden; }
.card td { padding: 16px; vertical-align: top; }
.card .photo { padding: 0; }
.row .photo { width: 136px; }
.card img { display: block; max-width: 100%; height: auto; border: 0; border-radius: 7px 7px 0 0; }
.row img { width: 136px; border-radius: 7px 0; }
.card p { margin: 0; }
.card .button { padding-top: 12px; }
.soft { font-size: 14px; opacity: .8; }
@media (prefers-color-scheme: dark) { a.link { color: #8ec5ff; } }
`;

/**
 * One message, laid out as plain text and as HTML that says the same; whatever it holds is escaped. The last link is a button, on
 * a card of what it leads to where that has one; links before it that have cards are a list of such things.
 */
export function composeEmail({ subject, parts, replyTo }: Message, frame: Frame): Email {
  const { locale, brand, homeUrl } = frame;
  const title = oneLine(subject);
  const button = parts.findLast((part) => 'link' in part);
  const carded = parts.map((part) => (part === button && frame.card ? { ...button, card: frame.card } : part));
  const footer = footerLinks(frame);
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
<header><a href="${escapeHtml(homeUrl)}">${markOf(brand)}</a></header>
<main>
<h1>${escapeHtml(title)}</h1>
${carded.map((part) => partAsHtml(part, brand, 'link' in part && part.link === button?.link)).join('\n')}
</main>
<footer>
<p><strong>${escapeHtml(brand.name)}</strong>${footer.map((link) => `<br>\n${linkAsHtml(link)}`).join('')}</p>
</footer>
</body>
</html>
`;
  const end = [`-- \n${brand.name}`, homeUrl, ...footer.map(partAsText)];
  const text = `${[...carded.map(partAsText), ...end].join('\n\n')}\n`;
  return { subject: title, text, html, ...(replyTo !== undefined && { replyTo }) };
}

function footerLinks({ locale, brand, unsubscribeUrl }: Frame): Link[] {
  const { imprint, unsubscribe } = footerWords[locale];
  return [
    ...(brand.imprintUrl === undefined ? [] : [{ link: brand.imprintUrl, label: imprint }]),
    ...(unsubscribeUrl === undefined ? [] : [{ link: unsubscribeUrl, label: unsubscribe }]),
  ];
}

const markOf = ({ name, logoUrl }: Config['brand']) =>
  logoUrl === undefined
    ? escapeHtml(name)
    : `<img src="${escapeHtml(logoUrl)}" alt="${escapeHtml(name)}" height="32" border="0">`;

function partAsText(part: Part): string {
  if ('paragraph' in part) return part.paragraph;
  if ('quote' in part) return `> ${linesOf(part.quote).join('\n> ')}`;
  const { link, label, card } = part;
  if (!card) return `${label}:\n${link}`;
  const facts = [card.price, ...(card.place ? [card.place] : [])].join(' · ');
  return [card.title, facts, ...(label === card.title ? [link] : ['', `${label}:`, link])].join('\n');
}

function partAsHtml(part: Part, brand: Config['brand'], isButton: boolean): string {
  if ('paragraph' in part) return `<p>${escapeHtml(part.paragraph)}</p>`;
  if ('quote' in part) return `<blockquote>${linesOf(part.quote).map(escapeHtml).join('<br>\n')}</blockquote>`;
  if (part.card) return cardAsHtml(part, part.card, isButton ? buttonAsHtml(part, brand) : undefined);
  return `<p>${isButton ? buttonAsHtml(part, brand) : linkAsHtml(part)}</p>`;
}

/** A table, as mail programs lay out nothing else alike: the photo above the button, beside the title of one of several. */
function cardAsHtml({ link }: Link, { title, imageUrl, price, place }: Card, button: string | undefined): string {
  const href = escapeHtml(link);
  const width = button === undefined ? 136 : 544;
  const photo =
    imageUrl === undefined
      ? ''
      : `<td class="photo"><a href="${href}"><img src="${escapeHtml(imageUrl)}" alt="" width="${width}"></a></td>`;
  const name = button === undefined ? linkAsHtml({ link, label: title }) : escapeHtml(title);
  const text = `<td><p><strong>${name}</strong></p>
<p>${escapeHtml(price)}</p>${place ? `\n<p class="soft">${escapeHtml(place)}</p>` : ''}${button === undefined ? '' : `\n<p class="button">${button}</p>`}</td>`;
  const cells = button === undefined || photo === '' ? `${photo}${text}` : `${photo}</tr>\n<tr>${text}`;
  return `<table role="presentation" class="card${button === undefined ? ' row' : ''}"><tr>${cells}</tr></table>`;
}

function buttonAsHtml({ link, label }: Link, { color }: Config['brand']): string {
  const look = `display: inline-block; padding: 11px 22px; border-radius: 6px; background-color: ${color}; color: ${textColorOn(color)}; font-weight: 600; text-decoration: none;`;
  return `<a href="${escapeHtml(link)}" style="${look}">${escapeHtml(label)}</a>`;
}

const linkAsHtml = ({ link, label }: Link) => `<a class="link" href="${escapeHtml(link)}">${escapeHtml(label)}</a>`;

const linesOf = (text: string) => text.trim().split(/\r\n|[\n\r\v\f\u0085\u2028\u2029]/);

/** A subject is a header: no line break may end it early. */
const oneLine = (text: string) => text.replaceAll(/\s+/g, ' ').trim();
