import type { SiteProposal } from '../../shared/scrapers/proposal.ts';

const MAX_SAMPLE = 60;

/** A proposal as text: the scraper, the fields with a sample each, and what to know. */
export function renderProposal({ scraper, links, pagination, fields, notes }: SiteProposal): string {
  const percent = (share: number) => `${Math.round(share * 100)} %`.padStart(5);
  const rows = fields.map(({ name, filled, confidence, source, samples: [sample] }) => {
    const value = printable(sample?.value ?? '').slice(0, MAX_SAMPLE);
    return `  ${name.padEnd(13)} ${percent(filled)}  ${percent(confidence)}  ${source.padEnd(11)} ${value}`;
  });
  return [
    `links       ${scraper.link_pattern ?? 'all pages'}   (${percent(links.confidence).trim()} sure; ${links.records} of ${links.looked_at} hold a record)`,
    `pagination  ${scraper.pagination_pattern ?? 'the link to the next page'}   (${percent(pagination.confidence).trim()} sure)`,
    `pages       ${scraper.kind}, ${scraper.extract.mode}, category ${scraper.category_id ?? 'of each record'}`,
    ...(rows.length > 0 ? ['', `  ${'field'.padEnd(13)} filled  sure  source      sample`, ...rows] : []),
    ...notes.map((note) => `! ${printable(note)}`),
    '',
    'To make it: POST this to /api/admin/scrapers, or learn the site in the console.',
    JSON.stringify(scraper, undefined, 2),
  ].join('\n');
}

/** A page may not steer the terminal it is printed on. */
const printable = (text: string) => text.replaceAll(/[\p{Cc}\u202A-\u202E\u2066-\u2069]+/gu, ' ').trim();
