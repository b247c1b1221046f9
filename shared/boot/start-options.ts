import { parseArgs } from 'node:util';
import { z } from 'zod';
import { StartError } from '../kit/reserve-port.ts';

/** More API processes than this on one machine are no start of a developer's any more. */
const MAX_API_PROCESSES = 64;
const count = z.coerce.number().int().min(1).max(MAX_API_PROCESSES);

/** What `npm start -- …` was asked for: processes anew when sources change, the demo, its site alone, so many API processes. */
export type StartOptions = {
  watch: boolean;
  demo: boolean;
  harbourBoard: boolean;
  apiProcesses: number;
  procfile: string;
};

/** Reads the arguments after the program's name; throws a StartError with one line for one that is not known. */
export function readStartOptions(args: string[]): StartOptions {
  const { values, positionals } = parse(args);
  const apiProcesses = count.safeParse(values.api ?? '1');
  if (!apiProcesses.success) throw new StartError(`--api: must be a number from 1 to ${MAX_API_PROCESSES}`);
  return {
    watch: values.watch ?? false,
    demo: values.demo ?? false,
    harbourBoard: values['harbour-board'] ?? false,
    apiProcesses: apiProcesses.data,
    procfile: positionals[0] ?? 'Procfile',
  };
}

function parse(args: string[]) {
  try {
    return parseArgs({
      args,
      allowPositionals: true,
      options: {
        watch: { type: 'boolean' },
        demo: { type: 'boolean' },
        'harbour-board': { type: 'boolean' },
        api: { type: 'string' },
      },
    });
  } catch (error) {
    throw new StartError(error instanceof Error ? error.message : String(error));
  }
}
