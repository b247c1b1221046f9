/** What became of asking for a page. */
export type Loaded =
  | { kind: 'page'; url: string; html: string }
  | { kind: 'skipped'; reason: 'robots' | 'elsewhere' | 'not_html'; message: string }
  | { kind: 'gone'; message: string }
  | Failure;

export type Failure = {
  kind: 'failed';
  message: string;
  /** Whether the same request may succeed later. */
  retry: boolean;
  /** How long the site wants to be left alone. */
  restMs?: number;
  /** The whole crawl is pointless now. */
  fatal?: boolean;
};
