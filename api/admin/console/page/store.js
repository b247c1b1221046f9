import { useEffect, useState } from 'preact/hooks';

/**
 * A value that parts of the page share.
 * @template T
 * @param {T} initial
 */
export function createStore(initial) {
  let value = initial;
  /** @type {Set<() => void>} */
  const listeners = new Set();
  return {
    read: () => value,
    /** @param {T} next */
    write(next) {
      value = next;
      for (const listener of listeners) listener();
    },
    /** @param {() => void} listener */
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

/**
 * The value of a store, rendered anew whenever it changes.
 * @template T
 * @param {ReturnType<typeof createStore<T>>} store
 * @returns {T}
 */
export function useStore(store) {
  const [value, setValue] = useState(store.read());
  useEffect(() => {
    const update = () => setValue(store.read());
    update();
    const unsubscribe = store.subscribe(update);
    return () => void unsubscribe();
  }, [store]);
  return value;
}
