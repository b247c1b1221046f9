import type { RawRecord } from '../../shared/normalize/record-type.ts';
import type { Page } from '../extract/page.ts';

/** A site whose pages need code of their own: the general rules and selectors do not read them. */
export type CodedSite = {
  /** Host name in lower case, without `www.`; its subdomains are other sites. */
  host: string;
  /** The record of a page, as it is printed there; undefined for pages that hold none. It reads the page and changes nothing on it. */
  extract: (page: Page) => RawRecord | undefined;
};
