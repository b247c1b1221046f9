import type { Config } from '../kit/config.ts';
import { parseProcfile, type Command } from './supervise.ts';

/** `npm run demo`: the fleet fills itself. */
const DEMO = '--demo';
/** `npm start -- --harbour-board`: the same without being filled. */
const HARBOUR_BOARD = '--harbour-board';
/** What the process beside the fleet is told. */
export const FILL = '--fill';

/** Where the site that scrapers can be tried on is served, on 127.0.0.1. */
export const harbourBoardPort = (apiPort: number): number => (apiPort < 65_535 ? apiPort + 1 : apiPort - 1);

/** What runs beside the processes of the Procfile: nothing unless the arguments ask for it. */
export function demoCommands(args: readonly string[]): Command[] {
  const program = 'demo: node shared/boot/launch.js api/demo/main.ts';
  if (args.includes(DEMO)) return parseProcfile(`${program} ${FILL}`);
  return args.includes(HARBOUR_BOARD) ? parseProcfile(program) : [];
}

/** What is different in a fleet that shows a demo: that site may be fetched, no mail leaves, and only trouble is logged. */
export function demoEnvironment(args: readonly string[], { fetchAllow, logLevel }: Config, port: number) {
  if (demoCommands(args).length === 0) return {};
  return {
    FETCH_ALLOW: [...fetchAllow, `127.0.0.1:${harbourBoardPort(port)}`].join(','),
    SMTP_URL: '',
    LOG_LEVEL: logLevel === 'info' ? 'warn' : logLevel,
  };
}
