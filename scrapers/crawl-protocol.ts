import type { CrawlEnd, CrawlNews, CrawlSettings, CrawlSpec, KnownPage } from './crawl-spec.ts';

/** What a crawl asks of the process that started it: everything that lives in the database. */
export type Desk = {
  takeTurn(host: string, intervalMs: number, count?: number): Promise<number>;
  rest(host: string, milliseconds: number): Promise<void>;
  enter(host: string): Promise<string | undefined>;
  leave(host: string, visit: string): Promise<void>;
  /** What is known of a page from an earlier crawl; without it, every page is read. */
  readPage?(page: string): Promise<KnownPage | undefined>;
  /** The same of several pages at once, in their order. */
  readPages?(pages: string[]): Promise<(KnownPage | undefined)[]>;
  readRobots(host: string): Promise<string | undefined>;
  writeRobots(host: string, text: string): Promise<void>;
  report(news: CrawlNews): Promise<void>;
};

export type Question = {
  [Name in keyof Desk]-?: { kind: 'question'; id: number; name: Name; args: Parameters<NonNullable<Desk[Name]>> };
}[keyof Desk];

/** What the process of a crawl sends to its parent. */
export type FromCrawl = Question | { kind: 'end'; end: CrawlEnd };

/** What the parent sends to the process of a crawl. */
export type ToCrawl =
  | { kind: 'start'; spec: CrawlSpec; settings: CrawlSettings }
  | { kind: 'answer'; id: number; value?: unknown; error?: string }
  | { kind: 'stop' };
