// The thread in which the pages of one crawl are read.
import { workerData } from 'node:worker_threads';
import { readPageContent, type PageContent } from './records.ts';
import type { PageToRead, ReaderData } from './page-reader.ts';

const { scope, extract } = workerData as ReaderData;

/** Answers as soon as the thread has started. */
export const waitUntilReady = (): void => {};

export default ({ html, url }: PageToRead): PageContent => readPageContent(html, url, scope, extract);
