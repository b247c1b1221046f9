export type Email = { subject: string; text: string; html: string };

type Part = { paragraph: string } | { link: string; label: string };

/** One message from its parts, as plain text and as HTML that says the same; whatever the parts hold is escaped. */
export function composeEmail(subject: string, parts: readonly Part[]): Email {
  const text = parts
    .map((part) => ('paragraph' in part ? part.paragraph : `${part.label}:\n${part.link}`))
    .join('\n\n');
  const body = parts.map((part) =>
    'paragraph' in part
      ? `<p>${escapeHtml(part.paragraph)}</p>`
      : `<p><a href="${escapeHtml(part.link)}">${escapeHtml(part.label)}</a></p>`,
  );
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

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

const escapeHtml = (text: string) => text.replaceAll(/[&<>"']/g, (character) => entities[character] ?? character);

/** A subject is a header: no line break may end it early. */
const oneLine = (text: string) => text.replaceAll(/\s+/g, ' ').trim();
