import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { connection, followEvents } from './events.js';
import { session } from './session.js';

const slowestMs = 60_000;
/** Events come in bursts: a load waits this long for more of them, and comes no sooner than that after the one before. */
const burstMs = 400;
const betweenMs = 2_000;

/**
 * Loads now, after each event that it follows, and `everyMs` after each answer, while the tab is seen. What was loaded stays when a
 * later load fails: `error` tells why, `at` how old it is, and the next tries come at growing distances.
 * @template T
 * @param {(options: { signal: AbortSignal }) => Promise<T>} load
 * @param {object} [options]
 * @param {string[]} [options.on] what the types of the events begin with that change it: `['listing.', 'run.']`
 * @param {number | ((data: T | undefined) => number)} [options.everyMs] for what no event tells of; a function tells it from the
 *   last answer; 0 never
 * @param {unknown[]} [options.inputs] what `load` depends on: a change loads at once, and the old data is `stale` until then
 * @returns {{ data?: T, error?: Error, at?: number, stale: boolean, refresh: () => Promise<void> }}
 */
export function useLive(load, { on = [], everyMs = 0, inputs = [] } = {}) {
  const key = JSON.stringify(inputs);
  const [state, setState] = useState({ key, data: undefined, error: undefined, at: undefined });
  const current = useRef({ load, on, everyMs, refresh: async () => {} });
  Object.assign(current.current, { load, on, everyMs });

  useEffect(() => {
    const controller = new AbortController();
    let timer;
    let burst;
    let loadedAt = 0;
    let failures = 0;
    let running;
    let asked = false;
    let isDue = true;
    let latest;

    async function once() {
      if (session.read()?.lapsed) return wait();
      isDue = false;
      try {
        const data = await current.current.load({ signal: controller.signal });
        if (controller.signal.aborted) return undefined;
        failures = 0;
        latest = data;
        loadedAt = Date.now();
        setState({ key, data, error: undefined, at: loadedAt });
      } catch (error) {
        if (controller.signal.aborted) return undefined;
        failures += 1;
        isDue = true;
        setState((before) => ({ ...before, error }));
        return wait(error.retryAfterMs);
      }
      return wait();
    }
    function wait(atLeastMs = 0) {
      clearTimeout(timer);
      const { everyMs: every } = current.current;
      const paceMs = typeof every === 'function' ? every(latest) : every;
      if (paceMs === 0 && failures === 0) return;
      const waitMs = Math.min(Math.max(paceMs, 1_000) * 2 ** Math.min(failures, 6), Math.max(slowestMs, paceMs));
      timer = setTimeout(run, Math.max(waitMs, atLeastMs));
    }
    /** One load at a time; a wish that comes meanwhile is granted after it. */
    async function run() {
      clearTimeout(timer);
      clearTimeout(burst);
      burst = undefined;
      if (controller.signal.aborted || document.hidden) return undefined;
      if (running) {
        asked = true;
        return running;
      }
      running = once();
      await running;
      running = undefined;
      if (!asked) return undefined;
      asked = false;
      return run();
    }
    function hear(type) {
      if (!current.current.on.some((beginning) => type.startsWith(beginning))) return;
      isDue = true;
      burst ??= setTimeout(run, Math.max(burstMs, loadedAt + betweenMs - Date.now()));
    }
    /** Back in sight, what events have changed meanwhile is loaded, and what is polled. */
    function look() {
      if (document.hidden) clearTimeout(timer);
      else if (isDue || current.current.everyMs !== 0) void run();
    }

    let wasOffline = false;
    /** What failed while the server was out of reach is asked for as soon as it is not. */
    function reconnect() {
      if (connection.read() === 'live' && wasOffline && failures > 0) void run();
      wasOffline = connection.read() === 'offline';
    }

    current.current.refresh = run;
    document.addEventListener('visibilitychange', look);
    const endings = [
      followEvents(hear),
      session.subscribe(() => !session.read()?.lapsed && session.read() && void run()),
      connection.subscribe(reconnect),
    ];
    void run();
    return () => {
      controller.abort();
      clearTimeout(timer);
      clearTimeout(burst);
      document.removeEventListener('visibilitychange', look);
      for (const end of endings) end();
    };
  }, [key]);

  const refresh = useCallback(() => current.current.refresh(), []);
  return { data: state.data, error: state.error, at: state.at, stale: state.key !== key, refresh };
}

/** The time of day, rendered anew every so often: for ages. */
export function useNow(everyMs = 1_000) {
  const [now, setNow] = useState(Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), everyMs);
    return () => clearInterval(timer);
  }, [everyMs]);
  return now;
}
