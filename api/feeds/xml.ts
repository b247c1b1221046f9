import { html, raw, render, type Child, type Markup } from '../pages/html.ts';

// XML escapes what HTML does; what it has no way to write at all, most control characters, is left out.
// oxlint-disable-next-line no-control-regex
const unwritable = /[\u0000-\u0008\u000B\u000C\u000E-\u001F\uFFFE\uFFFF]/g;

/** An XML document from markup of the `html` tag, which escapes every value. */
export const renderXml = (root: Markup): string =>
  `<?xml version="1.0" encoding="UTF-8"?>\n${render(root).toWellFormed().replaceAll(unwritable, '')}\n`;

/** An element with a text; none without one. */
export const element = (name: string, text: string | number | undefined): Child =>
  text !== undefined && text !== '' && [raw(`<${name}>`), html`${text}`, raw(`</${name}>\n`)];
