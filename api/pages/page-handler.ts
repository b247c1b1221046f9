import type { Effects } from '../effects.ts';
import type { CacheTag } from '../http/response-cache.ts';
import type { Page } from './layout.ts';
import type { Visit } from './visit.ts';

/**
 * What a page answers: a document; with a tag it may be cached for visitors who have not signed in, until something of that tag,
 * or `subject`, changes. Or an address to go on to.
 */
export type PageAnswer =
  | {
      page: Page;
      status?: number;
      tag?: CacheTag;
      subject?: string | undefined;
      /** What the page does again whenever it is answered from the cache. */
      effects?: Effects | undefined;
      headers?: Record<string, string>;
      /** Where a form of the page may lead beside this site, as sources of a Content-Security-Policy. */
      formTargets?: readonly string[];
    }
  | { location: string; headers?: Record<string, string> };

/** Shows a page, or does what its form asks for. */
export type PageHandler = (visit: Visit) => Promise<PageAnswer>;
