import type { StorageClient } from '@crawlee/basic';
import { pageKeyOf } from './frontier.ts';
import type { CrawlSpec, QueueChanges, Target } from './spec.ts';

type Client = ReturnType<StorageClient['requestQueue']>;
type Item = Parameters<Client['updateRequest']>[0];
type Head = Awaited<ReturnType<Client['listAndLockHead']>>;

const MAX_SITEMAPS = 500;
const MAX_AHEAD = 50;
/** One process works a queue, so that nobody else waits for a lock to expire. */
const LOCKED_UNTIL = new Date(8.64e15);

/**
 * The request queue of one crawl, as Crawlee works it: each page once however it is spelled, first come first served, and
 * `max_pages` of them at most. What changes in it goes into the news of the crawl, beside the records of the page, and so
 * into the run's rows in one transaction; `spec.resume` holds those rows when a process takes up where another was lost.
 * (Pages are added here, and not by `crawler.addRequests`, which builds and keeps two objects for each of up to 500,000.)
 */
export class CrawlQueue implements Client {
  readonly #maxPages: number;
  /** A site without an end may not fill the memory; far more than are visited are never needed. */
  readonly #maxKnown: number;
  readonly #pending: Map<string, Target>;
  readonly #done: Set<string>;
  /** What uses the budget: pages that are visited, and the addresses that they were found at. */
  readonly #begun: Set<string>;
  readonly #claimed = new Set<string>();
  readonly #sitemaps = new Set<string>();
  readonly #taken = new Set<string>();
  readonly #retries = new Map<string, number>();
  #changes = nothing();

  constructor({ max_pages: maxPages, resume }: Pick<CrawlSpec, 'max_pages' | 'resume'>) {
    this.#maxPages = maxPages;
    this.#maxKnown = 5 * maxPages + 1_000;
    this.#pending = new Map(resume?.pending.map((target) => [target.key, target]));
    this.#done = new Set([...(resume?.visited ?? []), ...(resume?.skipped ?? [])]);
    this.#begun = new Set(resume?.visited);
  }

  /** Adds those pages that are not known yet. */
  add(targets: readonly Target[]): void {
    for (const target of targets) {
      const isKnown = this.#pending.has(target.key) || this.#done.has(target.key);
      if (isKnown || this.#pending.size + this.#done.size >= this.#maxKnown) continue;
      this.#pending.set(target.key, target);
      this.#changes.queued.push(target);
    }
  }

  /** The keys of record pages that will be visited after this one, at most `most` and fifty. */
  following({ key }: Target, most: number): string[] {
    const keys: string[] = [];
    let isAfter = false;
    for (const target of this.#pending.values()) {
      if (keys.length >= Math.min(most, MAX_AHEAD)) break;
      if (isAfter && target.kind === 'record' && !this.#begun.has(target.key)) keys.push(target.key);
      isAfter ||= target.key === key;
    }
    return keys;
  }

  /** True when the page is going to be visited, or was. */
  willVisit(key: string): boolean {
    return this.#begun.has(key) || (this.#pending.has(key) && this.#begun.size + this.#pending.size <= this.#maxPages);
  }

  /** True when the page was dealt with, maybe under another address that leads to it. */
  isDone({ key }: Target): boolean {
    return this.#done.has(key) || this.#claimed.has(key);
  }

  /** Takes one page of the budget; false when it is used up. A page tried again takes none, and sitemaps have their own. */
  begin({ key, kind }: Target): boolean {
    if (kind === 'sitemap') return this.#sitemaps.add(key).size <= MAX_SITEMAPS;
    if (!this.#begun.has(key) && this.#begun.size >= this.#maxPages) return false;
    this.#begun.add(key);
    return true;
  }

  /** Claims the address a page was found at after redirects; false when that page is another's, done or under way. */
  claim({ key }: Target, foundAt: string): boolean {
    const other = pageKeyOf(foundAt);
    if (other === undefined || other === key) return true;
    if (this.#begun.has(other)) return false;
    this.#begun.add(other);
    this.#claimed.add(other);
    return true;
  }

  /** Notes that a page is dealt with and what it held is on its way: no process takes it up again. */
  finish(target: Target, foundAt?: string): void {
    const other = foundAt === undefined ? undefined : pageKeyOf(foundAt);
    const usesBudget = target.kind !== 'sitemap';
    for (const key of new Set([target.key, other ?? target.key])) this.#settle(key, usesBudget ? 'visited' : 'skipped');
  }

  /** Gives a page back to the budget that was not asked for after all, such as one that robots.txt forbids. */
  giveBack({ key }: Target): void {
    this.#begun.delete(key);
    this.#settle(key, 'skipped');
  }

  /** What has changed since this was last asked. */
  takeChanges(): QueueChanges {
    const changes = this.#changes;
    this.#changes = nothing();
    return changes;
  }

  /** True when there is nothing left to hand out. */
  isExhausted(): boolean {
    return this.#next(1).length === 0;
  }

  #settle(key: string, how: 'visited' | 'skipped'): void {
    this.#pending.delete(key);
    this.#done.add(key);
    this.#changes[how].push(key);
  }

  #next(limit: number): Target[] {
    const found: Target[] = [];
    for (const target of this.#pending.values()) {
      if (found.length >= limit) break;
      if (!this.#taken.has(target.key) && this.#mayBegin(target)) found.push(target);
    }
    return found;
  }

  /** A page whose site tells when it changed may need none of the budget. */
  #mayBegin({ key, kind, lastmod }: Target): boolean {
    if (kind === 'sitemap') return this.#sitemaps.size < MAX_SITEMAPS || this.#sitemaps.has(key);
    return lastmod !== undefined || this.#begun.has(key) || this.#begun.size < this.#maxPages;
  }

  async listAndLockHead({ limit = 25, lockSecs }: Parameters<Client['listAndLockHead']>[0]): Promise<Head> {
    const items = this.#next(limit).map((target) => this.#itemOf(target));
    for (const { id } of items) this.#taken.add(id);
    // The locks are this crawl's own, whatever their number.
    return { limit, lockSecs, queueModifiedAt: new Date(), queueHasLockedRequests: false, items };
  }

  async listHead({ limit = 100 }: Parameters<Client['listHead']>[0] = {}): ReturnType<Client['listHead']> {
    return { limit, queueModifiedAt: new Date(), items: this.#next(limit).map((target) => this.#itemOf(target)) };
  }

  async getRequest(id: string): ReturnType<Client['getRequest']> {
    const target = this.#pending.get(id);
    return target && { ...this.#itemOf(target) };
  }

  /** A request that Crawlee puts back goes to the end; one that it is done with is handed out no more by this process. */
  async updateRequest({ id, retryCount = 0, handledAt }: Item): ReturnType<Client['updateRequest']> {
    const target = this.#pending.get(id);
    if (target && handledAt === undefined) {
      this.#pending.delete(id);
      this.#pending.set(id, target);
      this.#retries.set(id, retryCount);
    } else this.#retries.delete(id);
    return { requestId: id, wasAlreadyPresent: true, wasAlreadyHandled: false };
  }

  async deleteRequestLock(id: string): Promise<void> {
    this.#taken.delete(id);
  }

  async prolongRequestLock(): ReturnType<Client['prolongRequestLock']> {
    return { lockExpiresAt: LOCKED_UNTIL };
  }

  async batchAddRequests(requests: Parameters<Client['batchAddRequests']>[0]): ReturnType<Client['batchAddRequests']> {
    const processed = requests.map(({ url, uniqueKey }) => {
      const wasAlreadyPresent = this.#pending.has(uniqueKey) || this.#done.has(uniqueKey);
      this.add([{ key: uniqueKey, url, kind: 'any' }]);
      return { uniqueKey, requestId: uniqueKey, wasAlreadyPresent, wasAlreadyHandled: this.#done.has(uniqueKey) };
    });
    return { processedRequests: processed, unprocessedRequests: [] };
  }

  async addRequest(request: Parameters<Client['addRequest']>[0]): ReturnType<Client['addRequest']> {
    const { processedRequests } = await this.batchAddRequests([request]);
    return processedRequests[0]!;
  }

  async deleteRequest(id: string): Promise<void> {
    this.#pending.delete(id);
  }

  async get(): ReturnType<Client['get']> {
    const at = new Date();
    const counts = { handledRequestCount: this.#done.size, pendingRequestCount: this.#pending.size };
    const totalRequestCount = this.#done.size + this.#pending.size;
    return { id: 'crawl', createdAt: at, modifiedAt: at, accessedAt: at, totalRequestCount, ...counts };
  }

  update(): ReturnType<Client['get']> {
    return this.get();
  }

  async delete(): Promise<void> {
    this.#pending.clear();
  }

  /** Navigation is ours too: a browser page is opened for the visit, and the visit goes to the address. */
  #itemOf(target: Target): Item & Head['items'][number] & { skipNavigation: true } {
    const { key, url } = target;
    const retryCount = this.#retries.get(key) ?? 0;
    return { id: key, uniqueKey: key, url, method: 'GET', retryCount, userData: { target }, skipNavigation: true };
  }
}

const nothing = (): QueueChanges => ({ queued: [], visited: [], skipped: [] });
