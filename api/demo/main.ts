import '../../shared/boot/require-node.js';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { FILL, harbourBoardPort } from '../../shared/boot/demo.ts';
import { badConfigurationExit, readConfigOrExit } from '../../shared/kit/config.ts';
import { createLogger } from '../../shared/kit/log.ts';
import { notifyReady } from '../../shared/kit/ready.ts';
import { onShutdown } from '../../shared/kit/shutdown.ts';
import { serveHarbourBoard } from './harbour-board.ts';

// Beside the fleet: serves the site that scrapers can be tried on, and with --fill fills the marketplace in a process of its own,
// which gives back the memory that this takes.
const config = readConfigOrExit();
const log = createLogger('demo', config.logLevel);
const port = harbourBoardPort(config.port);
const site = await serveHarbourBoard(config.profile, port).catch((error: Error) => {
  console.error(`Port ${port}, after PORT, is needed for the site that scrapers are tried on: ${error.message}`);
  process.exit(badConfigurationExit);
});
const filling = process.argv.includes(FILL)
  ? spawn(process.execPath, [fileURLToPath(new URL('./fill-cli.ts', import.meta.url))], { stdio: 'inherit' })
  : undefined;
onShutdown(log, [async () => void filling?.kill(), async () => void site.close()]);
notifyReady();
if (filling) {
  const [code] = (await once(filling, 'exit')) as [number | null];
  if (code === badConfigurationExit) process.exit(code);
}
