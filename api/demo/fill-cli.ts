import { harbourBoardPort } from '../../shared/boot/demo.ts';
import { prepare } from '../../shared/boot/prepare.ts';
import { systemClock } from '../../shared/kit/clock.ts';
import { badConfigurationExit, readConfigOrExit } from '../../shared/kit/config.ts';
import { createLogger } from '../../shared/kit/log.ts';
import { createServices } from '../services.ts';
import { createDemo } from './demo.ts';
import { fillMarketplace, findObjection } from './fill.ts';
import { createMovableClock } from './past.ts';
import { readDemoStock } from './stock.ts';
import { tell } from './tell.ts';

const SCRAPE_WAIT_MS = 20_000;

const ready = await prepare(readConfigOrExit());
// No limits for what is made up, and no judge that costs money.
const config = { ...ready, rateLimitMultiplier: 0, openai: undefined };
const clock = createMovableClock(systemClock);
const { services, stop } = await createServices(config, createLogger('demo', config.logLevel), clock);
const demo = createDemo(services, clock);
try {
  const objection = await findObjection(demo);
  if (objection === undefined) {
    const origin = `http://127.0.0.1:${harbourBoardPort(config.port)}`;
    const stock = readDemoStock(config.profile);
    const seconds = await fillMarketplace(demo, {
      stock,
      crowd: 1,
      origin,
      scrapeWaitMs: SCRAPE_WAIT_MS,
      print: console.log,
    });
    console.log(await tell(demo, seconds));
  } else {
    console.error(objection);
    process.exitCode = badConfigurationExit;
  }
} finally {
  await stop();
}
