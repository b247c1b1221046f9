import { useEffect, useState } from 'preact/hooks';

const read = () => {
  const [path = '', query = ''] = location.hash.split('?', 2);
  return { path: path || '#/', query: Object.fromEntries(new URLSearchParams(query)) };
};

/** Where the page stands, from the fragment of its address: `#/jobs?queue=send-email`. */
export function useRoute() {
  const [route, setRoute] = useState(read());
  useEffect(() => {
    const update = () => setRoute(read());
    addEventListener('hashchange', update);
    return () => removeEventListener('hashchange', update);
  }, []);
  return route;
}

/**
 * What a page keeps in its address, and how it changes it: undefined, null and '' take a value out.
 * @returns {[Record<string, string>, (changes: Record<string, string | number | null | undefined>) => void]}
 */
export function useQuery() {
  const { path, query } = useRoute();
  const change = (changes) => {
    const merged = Object.entries({ ...read().query, ...changes });
    const kept = merged.filter(([, value]) => value !== undefined && value !== null && value !== '');
    const text = new URLSearchParams(kept.map(([name, value]) => [name, String(value)])).toString();
    location.hash = text === '' ? path : `${path}?${text}`;
  };
  return [query, change];
}
