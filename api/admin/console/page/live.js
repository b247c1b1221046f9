import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { session } from './session.js';

const slowestMs = 60_000;

/**
 * Loads now and `everyMs` after each answer, while the tab is seen. What was loaded stays when a later load fails:
 * `error` tells why, `at` how old it is, and the next tries come at growing distances.
 * @template T
 * @param {(options: { signal: AbortSignal }) => Promise<T>} load
 * @param {number | ((data: T | undefined) => number)} everyMs a function tells it from the last answer; 0 loads once
 * @param {unknown[]} [inputs] what `load` depends on: a change loads at once, and the old data is `stale` until then
 * @returns {{ data?: T, error?: Error, at?: number, stale: boolean, refresh: () => Promise<void> }}
 */
export function usePolling(load, everyMs, inputs = []) {
  const key = JSON.stringify(inputs);
  const [state, setState] = useState({ key, data: undefined, error: undefined, at: undefined });
  const current = useRef({ load, everyMs, refresh: async () => {} });
  Object.assign(current.current, { load, everyMs });

  useEffect(() => {
    const controller = new AbortController();
    let timer;
    let failures = 0;
    let running;
    let asked = false;
    let latest;

    async function once() {
      if (session.read()?.lapsed) return wait();
      try {
        const data = await current.current.load({ signal: controller.signal });
        if (controller.signal.aborted) return undefined;
        failures = 0;
        latest = data;
        setState({ key, data, error: undefined, at: Date.now() });
      } catch (error) {
        if (controller.signal.aborted) return undefined;
        failures += 1;
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

    current.current.refresh = run;
    const seen = () => (document.hidden ? clearTimeout(timer) : void run());
    document.addEventListener('visibilitychange', seen);
    const unsubscribe = session.subscribe(() => !session.read()?.lapsed && session.read() && void run());
    void run();
    return () => {
      controller.abort();
      clearTimeout(timer);
      document.removeEventListener('visibilitychange', seen);
      unsubscribe();
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
