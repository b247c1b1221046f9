import type { OperationId } from '../http/contract.ts';
import type { AuthenticatedHandler, Handler } from '../handler.ts';
import { getDedupJob, listDedupJobs, scanAndMergeDedup, scanDedup, startDedupJob, stopDedupJob } from './dedup-runs.ts';
import {
  bulkMergeDedupGroups,
  getDedupGroup,
  getDedupStats,
  listDedupGroups,
  mergeDedupGroup,
  rejectDedupGroup,
  unmergeDedupGroup,
} from './dedup.ts';

/** The operations on duplicates and their functions, as in api/operations.ts. */
export const dedupHandlers = {
  bulkMergeDedupGroups,
  getDedupGroup,
  getDedupJob,
  getDedupStats,
  listDedupGroups,
  listDedupJobs,
  mergeDedupGroup,
  rejectDedupGroup,
  scanAndMergeDedup,
  scanDedup,
  startDedupJob,
  stopDedupJob,
  unmergeDedupGroup,
} satisfies { [Op in OperationId]?: Handler<Op> | AuthenticatedHandler<Op> };
