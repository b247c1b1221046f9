import type { CrawlEnd, CrawlNews, CrawlSettings, CrawlSpec } from './crawl-spec.ts';

/** What a crawl asks of the process that started it: everything that lives in the database. */
export type Desk = {
  takeTurn(host: string, intervalMs: number): Promise<number>;
  rest(host: string, milliseconds: number): Promise<void>;
  readRobots(host: string): Promise<string | undefined>;
  writeRobots(host: string, text: string): Promise<void>;
  report(news: CrawlNews): Promise<void>;
};

export type Question = {
  [Name in keyof Desk]: { kind: 'question'; id: number; name: Name; args: Parameters<Desk[Name]> };
}[keyof Desk];

/** What the process of a crawl sends to its parent. */
export type FromCrawl = Question | { kind: 'end'; end: CrawlEnd };

/** What the parent sends to the process of a crawl. */
export type ToCrawl =
  | { kind: 'start'; spec: CrawlSpec; settings: CrawlSettings }
  | { kind: 'answer'; id: number; value?: unknown; error?: string }
  | { kind: 'stop' };
