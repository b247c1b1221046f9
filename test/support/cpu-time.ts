import { cpuMs, measureCpuSlowness } from './machine.ts';

/** How many milliseconds of a quiet machine's processor some work takes on this thread. */
export const cpuMsOf = (work: () => void): number => cpuMs(work) / measureCpuSlowness();
