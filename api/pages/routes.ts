import { sitePaths } from '../../shared/kit/site-links.ts';
import { showHome } from './home.ts';
import { showListing } from './listing.ts';
import type { PageHandler } from './page-handler.ts';
import { showSearch } from './search.ts';

/** A page: its path as Express has it, what shows it, and what its forms do. */
export type PageRoute = { path: string; show?: PageHandler; act?: PageHandler };

const pathOf = (page: keyof typeof sitePaths) =>
  sitePaths[page]
    .split('?', 1)
    .join()
    .replaceAll(/\{(\w+)\}/g, ':$1');

/** Every page for people. */
export const pageRoutes: readonly PageRoute[] = [
  { path: pathOf('home'), show: showHome },
  { path: pathOf('search'), show: showSearch },
  { path: pathOf('listing'), show: showListing },
];
