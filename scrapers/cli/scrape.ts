import '../../shared/boot/require-node.js';
import { readConfigOrExit } from '../../shared/kit/config.ts';
import { scrape } from './run-scrape.ts';

process.exitCode = await scrape(process.argv.slice(2), readConfigOrExit);
