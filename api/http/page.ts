import { createHash } from 'node:crypto';
import type { Config } from '../../shared/kit/config.ts';
import { textColorOn } from '../../shared/kit/contrast.ts';
import { escapeHtml } from '../../shared/kit/html.ts';
import { urlTo } from '../../shared/kit/site-links.ts';
import type { Locale } from '../../shared/profiles/profile.ts';
import type { Text } from './types.ts';

type Page = {
  locale: Locale;
  title: string;
  /** Markup of the page's one column; whatever comes from outside has gone through `escapeHtml`. */
  content: string;
  /** The page's own script, run at its end: plain browser JavaScript. */
  script?: string;
};

const styleIn = (color: string) => `
:root { color-scheme: light dark; font: 1.05rem/1.55 system-ui, sans-serif; }
body { margin: 0 auto; padding: 3rem 1.25rem; max-width: 30rem; overflow-wrap: anywhere; }
header a { color: inherit; font-weight: 700; text-decoration: none; }
h1 { font-size: 1.4rem; line-height: 1.25; }
label { display: block; margin: 1rem 0; }
input { box-sizing: border-box; display: block; width: 100%; margin-top: .3rem; padding: .6rem; font: inherit; }
button { padding: .65rem 1.2rem; border: 0; border-radius: .4rem; background: ${color}; color: ${textColorOn(color)}; font: inherit; cursor: pointer; }
button:focus-visible, input:focus-visible { outline: 3px solid #f2a33c; outline-offset: 2px; }
[role=status] { min-height: 1.55em; }
`;

const hashOf = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

/** A page for people beside the API, in the name of the service: one column, readable on a phone, with a policy that allows its own style, script and forms and nothing else. */
export function renderPage(
  { brand, site }: Pick<Config, 'brand' | 'site'>,
  { locale, title, content, script }: Page,
): { body: Text; headers: Record<string, string> } {
  const style = styleIn(brand.color);
  const text = `<!doctype html>
<html lang="${locale}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${escapeHtml(title)} · ${escapeHtml(brand.name)}</title>
<style>${style}</style>
</head>
<body>
<header><a href="${escapeHtml(urlTo(site, 'home', {}))}">${escapeHtml(brand.name)}</a></header>
<main>
<h1>${escapeHtml(title)}</h1>
${content}
</main>${script === undefined ? '' : `\n<script>${script}</script>`}
</body>
</html>
`;
  const policy = [
    "default-src 'none'",
    `style-src ${hashOf(style)}`,
    ...(script === undefined ? [] : [`script-src ${hashOf(script)}`, "connect-src 'self'"]),
    "form-action 'self'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ].join('; ');
  return {
    body: { text, type: 'text/html; charset=utf-8' },
    headers: {
      'Content-Security-Policy': policy,
      'Cache-Control': 'no-store',
      'Content-Language': locale,
      Vary: 'Accept-Language',
    },
  };
}
