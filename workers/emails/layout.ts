export type Email = { subject: string; text: string; html: string; replyTo?: string };

/** A quote is what somebody else wrote: it keeps its lines, and cannot be taken for ours. */
type Part = { paragraph: string } | { quote: string } | { link: string; label: string };

/** One message from its parts, as plain text and as HTML that says the same; whatever the parts hold is escaped. */
export function composeEmail(subject: string, parts: readonly Part[]): Email {
  const text = parts.map(partAsText).join('\n\n');
  const body = parts.map(partAsHtml);
  const html = `<!doctype html>
<html lang="en">
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
