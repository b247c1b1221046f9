import { AsyncLocalStorage } from 'node:async_hooks';

const actors = new AsyncLocalStorage<string>();

/** Does something in the name of an account: the events of the journal that are recorded meanwhile tell of it. */
export function actAs<T>(userId: string | undefined, act: () => T): T {
  return userId === undefined ? act() : actors.run(userId, act);
}

/** Whose request is at work here; undefined outside of one. */
export const currentActor = (): string | undefined => actors.getStore();
