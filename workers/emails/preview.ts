import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { escapeHtml } from '../../shared/kit/html.ts';
import type { Locale } from '../../shared/profiles/profile.ts';
import type { Config } from '../../shared/kit/config.ts';
import { sampleImage } from './card.ts';
import { renderEmail } from './render-email.ts';
import { templates } from './templates.ts';

const locales: readonly Locale[] = ['en', 'es', 'fr', 'de', 'it', 'ko', 'ja'];
const photo = 'photo.svg';

/** A drawing in place of the photo, as the addresses of samples have none. */
const drawing = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 6 4" width="1200" height="800"><path fill="#9cc9e8" d="M0 0h6v4H0z"/><path fill="#2f6f9f" d="M0 3h6v1H0z"/><path fill="#fff" d="M3.1.5v2.2h1.4z"/><path fill="#fff" d="M2.9.9v1.8H1.8z"/><path fill="#23323f" d="M1.6 2.8h3l-.4.5H2z"/></svg>
`;

type Preview = { template: string; locale: Locale; subject: string; text: string; html: string };

/** Every template in every language, rendered from its sample, in the brand of the service. */
export function renderPreviews(config: Pick<Config, 'brand' | 'site'>): Preview[] {
  return Object.entries(templates).flatMap(([template, each]) =>
    locales.flatMap((locale) => {
      if (!each) return [];
      const token = each.essential ? undefined : 'notifications.example';
      const { subject, text, html } = renderEmail(each, each.sample, locale, config, token);
      return [{ template, locale, subject, text, html }];
    }),
  );
}

/** Writes `<template>.<locale>.txt` and `.html` for each, a photo, and an index.html that shows them all; answers how many there are. */
export async function writePreviews(folder: string, config: Pick<Config, 'brand' | 'site'>): Promise<number> {
  const previews = renderPreviews(config);
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, photo), drawing);
  for (const { template, locale, subject, text, html } of previews) {
    await writeFile(join(folder, `${template}.${locale}.html`), html.replaceAll(sampleImage, photo));
    await writeFile(join(folder, `${template}.${locale}.txt`), `Subject: ${subject}\n\n${text}`);
  }
  await writeFile(join(folder, 'index.html'), renderIndex(previews, config.brand.name));
  return previews.length;
}

const style = `
:root { color-scheme: light dark; font: 15px/1.5 system-ui, sans-serif; }
body { margin: 2rem; }
section { margin-bottom: 3rem; }
ul { display: grid; grid-template-columns: repeat(auto-fill, minmax(22rem, 1fr)); gap: 1rem; padding: 0; list-style: none; }
iframe { width: 100%; height: 26rem; border: 1px solid #8a9bab; border-radius: 6px; }
`;

function renderIndex(previews: Preview[], brand: string): string {
  const sections = [...Map.groupBy(previews, ({ template }) => template)].map(
    ([template, mails]) => `<section id="${template}">
<h2>${template}</h2>
<ul>
${mails.map(renderEntry).join('\n')}
</ul>
</section>`,
  );
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Mails of ${escapeHtml(brand)}</title>
<style>${style}</style>
</head>
<body>
<h1>Mails of ${escapeHtml(brand)}</h1>
<nav>${[...new Set(previews.map(({ template }) => template))].map((name) => `<a href="#${name}">${name}</a>`).join(' · ')}</nav>
${sections.join('\n')}
</body>
</html>
`;
}

const renderEntry = ({ template, locale }: Preview) =>
  `<li><a href="${template}.${locale}.html">${locale}</a> · <a href="${template}.${locale}.txt">text</a>
<iframe src="${template}.${locale}.html" title="${template} in ${locale}" loading="lazy"></iframe></li>`;
