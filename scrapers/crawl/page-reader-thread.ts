// A thread that reads pages for one crawl, one after the other, in the order in which they come.
import { parentPort, workerData } from 'node:worker_threads';
import { readPageContent } from './records.ts';
import type { Answer, PageToRead, ReaderData } from './page-reader.ts';

const { scope, extract } = workerData as ReaderData;

parentPort?.on('message', ({ html, url }: PageToRead) => send(answerTo(html, url)));
send('ready');

function send(answer: Answer): void {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
  parentPort?.postMessage(answer);
}

function answerTo(html: string, url: string): Answer {
  try {
    return { content: readPageContent(html, url, scope, extract) };
  } catch (error) {
    return { problem: error instanceof Error ? error.message : String(error) };
  }
}
