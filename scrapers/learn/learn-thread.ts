// The thread in which the pages of one learning are read.
import { workerData } from 'node:worker_threads';
import { z } from 'zod';
import { marketplaceSchema } from '../../shared/profiles/schema.ts';
import { createAnalyses } from './analyses.ts';

/** What the thread is started with. */
const threadData = z.object({ marketplace: marketplaceSchema });

export const { plan, isEmptyWithoutScripts, outline, propose } = createAnalyses(
  threadData.parse(workerData).marketplace,
);
