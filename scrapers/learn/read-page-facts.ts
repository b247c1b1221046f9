import type { RawRecord } from '../../shared/normalize/record-type.ts';
import { textOf } from '../../shared/kit/html/text.ts';
import { pageRecords } from '../extract/extract-page.ts';
import { collectPageLinks } from '../extract/links.ts';
import { parsePage, type Page } from '../extract/page.ts';
import { bodyOf } from './body-of.ts';
import { findEntryClusters, type EntryCluster } from './entries.ts';
import { readPager, type PagerEvidence } from './pagination-pattern.ts';

/** A page that was looked at, as it was had; without `html` it could not be had, and `problem` says why. */
export type LookedAtPage = { url: string; html?: string; problem?: string; isRendered?: boolean };

/** What learning goes by of one page. */
export type PageFacts = {
  url: string;
  page: Page;
  /** Absolute addresses on the page's own site. */
  links: string[];
  clusters: EntryCluster[];
  pager: PagerEvidence;
  /** What general extraction reads: one for the page of a thing, several for a list. */
  records: RawRecord[];
  /** Characters that a reader sees. */
  textLength: number;
  hasScripts: boolean;
};

const MAX_TEXT = 20_000;

/** Reads a page once, for all that is learnt from it. */
export function readPageFacts(html: string, url: string): PageFacts {
  const page = parsePage(html, url);
  const host = bareHost(url);
  const links = collectPageLinks(page).filter((link) => bareHost(link) === host);
  return {
    url,
    page,
    links,
    clusters: findEntryClusters(page),
    pager: readPager(page),
    records: pageRecords(page, { mode: 'structured' }),
    textLength: bodyOf(page).reduce((length, part) => length + textOf(part, MAX_TEXT).length, 0),
    hasScripts: page.elements.some(({ name, attribs }) => name === 'script' && attribs.type !== 'application/ld+json'),
  };
}

/** True when a page is the page of one thing. */
export const isRecordPage = ({ records }: Pick<PageFacts, 'records'>): boolean => records.length === 1;

const bareHost = (url: string): string => (URL.parse(url)?.host ?? '').replace(/^www\./, '');
