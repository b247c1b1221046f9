import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Locale } from '../../shared/profiles/profile.ts';
import { templates } from './templates.ts';

const locales: readonly Locale[] = ['en', 'es', 'fr', 'de', 'it', 'ko', 'ja'];
const UNSUBSCRIBE = 'https://boats.example.com/api/unsubscribe?token=notifications.example';

type Preview = { template: string; locale: Locale; subject: string; text: string; html: string };

/** Every template in every language, rendered from its sample. */
export function renderPreviews(): Preview[] {
  return Object.entries(templates).flatMap(([template, each]) =>
    locales.flatMap((locale) => {
      if (!each) return [];
      const { subject, text, html } = each.render(each.sample, locale, each.essential ? undefined : UNSUBSCRIBE);
      return [{ template, locale, subject, text, html }];
    }),
  );
}

/** Writes `<template>.<locale>.txt` and `.html` for each, and an index.html that shows them all; answers how many there are. */
export async function writePreviews(folder: string): Promise<number> {
  const previews = renderPreviews();
  await mkdir(folder, { recursive: true });
  for (const { template, locale, subject, text, html } of previews) {
    await writeFile(join(folder, `${template}.${locale}.html`), html);
    await writeFile(join(folder, `${template}.${locale}.txt`), `Subject: ${subject}\n\n${text}`);
  }
  await writeFile(join(folder, 'index.html'), renderIndex(previews));
  return previews.length;
}

const style = `
:root { color-scheme: light dark; font: 15px/1.5 system-ui, sans-serif; }
body { margin: 2rem; }
section { margin-bottom: 3rem; }
ul { display: grid; grid-template-columns: repeat(auto-fill, minmax(22rem, 1fr)); gap: 1rem; padding: 0; list-style: none; }
iframe { width: 100%; height: 26rem; border: 1px solid #8a9bab; border-radius: 6px; }
`;

function renderIndex(previews: Preview[]): string {
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
<title>Mails of Quayside</title>
<style>${style}</style>
</head>
<body>
<h1>Mails of Quayside</h1>
<nav>${[...new Set(previews.map(({ template }) => template))].map((name) => `<a href="#${name}">${name}</a>`).join(' · ')}</nav>
${sections.join('\n')}
</body>
</html>
`;
}

const renderEntry = ({ template, locale }: Preview) =>
  `<li><a href="${template}.${locale}.html">${locale}</a> · <a href="${template}.${locale}.txt">text</a>
<iframe src="${template}.${locale}.html" title="${template} in ${locale}" loading="lazy"></iframe></li>`;
