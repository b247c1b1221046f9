import { readFileSync } from 'node:fs';
import type { Contract } from '../http/contract.ts';
import { renderEventsGuide } from './events-guide.ts';

/** A guide: what its address ends with, its title and first paragraph, and its text, written for http://localhost:3000. */
export type Guide = { slug: string; section: string; title: string; summary: string; markdown: string };

/** The files of guides/ in reading order, by section. */
const sections: Record<string, string[]> = {
  Start: ['get-started', 'authentication', 'errors', 'idempotency'],
  Build: ['searching', 'sync', 'webhooks', 'sdk', 'mcp'],
  Run: ['operating', 'runbooks', 'scrapers'],
};

const readText = (path: string) => readFileSync(new URL(path, import.meta.url), 'utf8');

/** Every guide, with the catalogue of events, the changelog and the versioning policy as the last. */
export function readGuides(contract: Contract): Guide[] {
  const written = Object.entries(sections).flatMap(([section, slugs]) =>
    slugs.map((slug) => toGuide(section, slug, readText(`guides/${slug}.md`))),
  );
  return [
    ...written,
    toGuide('Look up', 'events', renderEventsGuide(contract)),
    toGuide('Look up', 'changelog', readText('../../.github/CHANGELOG.md')),
    toGuide('Look up', 'versioning', readText('../../.github/VERSIONING.md')),
  ];
}

function toGuide(section: string, slug: string, markdown: string): Guide {
  const [heading = '', paragraph = ''] = markdown.split(/\n\n+/, 2);
  return {
    slug,
    section,
    title: heading.replace(/^# /, ''),
    summary: paragraph
      .replaceAll(/\[([^[\]]{1,200})\]\([^()]{0,300}\)/g, '$1')
      .replaceAll(/[`*]|\s+(?=\s)/g, '')
      .replaceAll('\n', ' '),
    markdown: markdown
      .replaceAll(/\]\((?:CHANGELOG|VERSIONING)\.md\)/g, (link) => link.toLowerCase())
      .replaceAll(/\]\((?:\.\.\/)?(SECURITY|GLOSSARY)\.md\)/g, ']'),
  };
}
