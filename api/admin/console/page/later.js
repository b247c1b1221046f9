import { useEffect, useState } from 'preact/hooks';
import { html } from './html.js';
import { ErrorNote } from './parts.js';

/**
 * Lazy loading: a component whose module is fetched when it is first shown.
 * @param {() => Promise<unknown>} load the component, from its module
 */
export function later(load) {
  let loaded;
  return function Later(props) {
    const [View, show] = useState(() => loaded);
    const [error, setError] = useState();
    async function start() {
      setError(undefined);
      try {
        loaded = await load();
        show(() => loaded);
      } catch (reason) {
        setError(reason);
      }
    }
    useEffect(() => {
      if (!loaded) void start();
    }, []);
    if (View) return html`<${View} ...${props} />`;
    return error ? html`<${ErrorNote} error=${error} retry=${start} />` : null;
  };
}
