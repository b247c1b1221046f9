import { Piscina } from 'piscina';
import type { MarketplaceDocument } from '../../shared/profiles/read-profile.ts';
import type { Analyses } from './analyses.ts';

/** Reads foreign pages beside the process, within limits of time and memory; what takes more rejects. */
export type PageAnalyst = {
  ask<Name extends keyof Analyses>(
    name: Name,
    task: Parameters<Analyses[Name]>[0],
  ): Promise<ReturnType<Analyses[Name]>>;
  close(): Promise<void>;
};

const LIMIT_MS = 60_000;
const HEAP_MB = 512;

/** A thread for one learning, which ends with it. */
export function createPageAnalyst(marketplace: MarketplaceDocument): PageAnalyst {
  const pool = new Piscina({
    filename: new URL('./learn-thread.ts', import.meta.url).href,
    workerData: { marketplace },
    minThreads: 1,
    maxThreads: 1,
    resourceLimits: { maxOldGenerationSizeMb: HEAP_MB },
  });
  return {
    ask: (name, task) => pool.run(task, { name, signal: AbortSignal.timeout(LIMIT_MS) }),
    close: () => pool.destroy(),
  };
}
