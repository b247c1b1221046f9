import { harbourBoardPort } from '../../shared/boot/demo.ts';
import { prepare } from '../../shared/boot/prepare.ts';
import { systemClock } from '../../shared/kit/clock.ts';
import { badConfigurationExit, readConfigOrExit } from '../../shared/kit/config.ts';
import { createLogger } from '../../shared/kit/log.ts';
import { createServices } from '../services.ts';
import { createDemo } from './demo.ts';
import { fillMarketplace, findObjection } from './fill.ts';
import { createMovableClock } from './past.ts';
import { tell } from './tell.ts';

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
    console.log(await tell(demo, await fillMarketplace(demo, origin, console.log)));
  } else {
    console.error(objection);
    process.exitCode = badConfigurationExit;
  }
} finally {
  await stop();
}
