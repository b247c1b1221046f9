import type { Refusal } from '../politeness/politeness.ts';

/** What became of asking for a page. */
export type Loaded =
  | LoadedPage
  | { kind: 'unchanged' }
  | { kind: 'skipped'; reason: 'elsewhere' | 'not_html'; message: string }
  | { kind: 'gone'; message: string }
  | Refusal;

export type LoadedPage = {
  kind: 'page';
  url: string;
  html: string;
  /** What to ask with whether it has changed, as far as the site says. */
  validators?: Validators;
  /** What is wrong with it, although it could be read. */
  problem?: string;
};

/** How a site names a version of a page: `ETag` and `Last-Modified`. */
export type Validators = { etag?: string; lastModified?: string };
