import type { Config } from '../kit/config.ts';
import type { StartOptions } from './start-options.ts';
import { parseProcfile, type Command } from './supervise.ts';

/** What the process beside the fleet is told. */
export const FILL = '--fill';

/** Where the site that scrapers can be tried on is served, on 127.0.0.1. */
export const harbourBoardPort = (apiPort: number): number => (apiPort < 65_535 ? apiPort + 1 : apiPort - 1);

/** What runs beside the processes of the Procfile: with `--demo` what fills the fleet, with `--harbour-board` the demo's site alone. */
export function demoCommands({ demo, harbourBoard }: StartOptions): Command[] {
  const program = 'demo: node shared/boot/launch.js api/demo/main.ts';
  if (demo) return parseProcfile(`${program} ${FILL}`);
  return harbourBoard ? parseProcfile(program) : [];
}

/** What is different in a fleet that shows a demo: that site may be fetched, no mail leaves, and only trouble is logged. */
export function demoEnvironment(options: StartOptions, { fetchAllow, logLevel }: Config, port: number) {
  if (demoCommands(options).length === 0) return {};
  return {
    FETCH_ALLOW: [...fetchAllow, `127.0.0.1:${harbourBoardPort(port)}`].join(','),
    SMTP_URL: '',
    LOG_LEVEL: logLevel === 'info' ? 'warn' : logLevel,
  };
}
