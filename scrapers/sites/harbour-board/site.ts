import type { CodedSite } from '../coded-site.ts';
import { extractNotice } from './extract.ts';

/** The notice board of a harbour: one notice per page, written like a letter, with its facts in one line of code words. */
export const harbourBoard: CodedSite = { host: 'harbour-board.example', extract: extractNotice };
