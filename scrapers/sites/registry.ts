import type { RawRecord } from '../../shared/normalize/record-type.ts';
import type { Page } from '../extract/page.ts';
import type { CodedSite } from './coded-site.ts';
import { harbourBoard } from './harbour-board/site.ts';

/** Every site that has code, one line each; `npm run new:site` adds its own. */
const sites: CodedSite[] = [harbourBoard];

const byHost = new Map(sites.map((site) => [site.host, site]));

/** The records that the code of a page's site finds on it; undefined for sites without code. */
export function readCodedSite(page: Page): RawRecord[] | undefined {
  const site = byHost.get(new URL(page.url).hostname.replace(/^www\./, ''));
  if (!site) return undefined;
  const record = site.extract(page);
  return record ? [record] : [];
}
