import { useState } from 'preact/hooks';
import { complain, say } from './notices.js';

const forgottenAfterMs = 20_000;

/**
 * Decisions that are not waited for: what is decided leaves the list at once, and comes back when the API refuses.
 * @param {() => Promise<unknown>} refresh
 */
export function useDecisions(refresh) {
  const [decided, setDecided] = useState(() => new Set());
  const forget = (key) => setDecided((before) => new Set([...before].filter((each) => each !== key)));

  /**
   * @param {string} key
   * @param {() => Promise<any>} decide
   * @param {(result: any) => string} told what is said of it afterwards
   */
  async function settle(key, decide, told) {
    setDecided((before) => new Set(before).add(key));
    try {
      say(told(await decide()));
      // By then every list that was asked for earlier has come.
      setTimeout(() => forget(key), forgottenAfterMs);
    } catch (error) {
      forget(key);
      complain(error);
    }
    await refresh();
  }
  return { decided, settle, forget };
}
