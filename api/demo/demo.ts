import { keyScopes } from '../../shared/accounts/key-scopes.ts';
import { createPerformer, type OperationInput, type Performed } from '../http/perform.ts';
import type { Caller } from '../http/authenticate.ts';
import type { OperationId } from '../http/contract.ts';
import { handlers } from '../operations.ts';
import type { Services } from '../services.ts';
import type { MovableClock } from './past.ts';

/** An account that is there. */
export type Kept = { id: string; name: string; role: 'user' | 'admin' };

/** What fills a marketplace: its services under a clock that can be moved, and operations of the contract for anybody. */
export type Demo = {
  services: Services;
  clock: MovableClock;
  /** When the filling began. */
  now: Date;
  /** Performs an operation of the contract as somebody, at a time; without somebody as a visitor. */
  perform<Op extends OperationId>(
    who: Kept | undefined,
    when: Date,
    id: Op,
    input?: OperationInput<Op>,
    userAgent?: string,
  ): Promise<Performed<Op>>;
};

/** What the demo itself looks at counts neither as a view nor as a search. */
const CRAWLER = 'QuaysideBot/1.0 (demo)';

/** Everything is done by operations of the contract: with their validation, events and jobs, as over HTTP, but no rate limits. */
export function createDemo(services: Services, clock: MovableClock): Demo {
  const perform = createPerformer(services, handlers as never);
  return {
    services,
    clock,
    now: clock.now(),
    perform: (who, when, id, input, userAgent = CRAWLER) =>
      clock.at(when, () =>
        perform(
          {
            caller: who && callerOf(who),
            network: '192.0.2.1',
            locale: 'en',
            links: services.links.of(false),
            requestId: 'demo',
            userAgent,
          },
          id,
          input,
        ),
      ),
  };
}

const callerOf = ({ id, name, role }: Kept): Caller => ({
  userId: id,
  role,
  name,
  via: 'session',
  scopes: keyScopes,
  publicationsPerDay: undefined,
  bucket: id,
  sessionEpoch: 0,
  sessionId: undefined,
  mustEnrol: false,
});
