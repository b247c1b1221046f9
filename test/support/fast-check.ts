import fc from 'fast-check';
import { isSoak, seed } from './lane.ts';

const RUNS = 100;

fc.configureGlobal({ seed, numRuns: isSoak ? 20 * RUNS : RUNS });
