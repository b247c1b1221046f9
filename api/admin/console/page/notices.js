import { createStore } from './store.js';

const lifeMs = { info: 5_000, error: 12_000 };

/** @type {ReturnType<typeof createStore<{ id: number, tone: 'info' | 'error', text: string }[]>>} */
export const notices = createStore([]);
let last = 0;

/** Tells what was done: shown for a while, and read aloud. */
export const say = (text) => add('info', text);

/** Tells why something was not done. */
export const complain = (error) => add('error', describeError(error));

/** An error in words: what the API said, with the fields it objects to. */
export function describeError(error) {
  const fields = (error?.errors ?? []).map(({ path, message }) => `${path.replace(/^\/\w+\/?/, '')}: ${message}`);
  return [error?.message ?? String(error), ...fields].join(' ');
}

/** @param {number} id */
export const dismiss = (id) => notices.write(notices.read().filter((notice) => notice.id !== id));

function add(tone, text) {
  last += 1;
  const id = last;
  notices.write([...notices.read().filter((notice) => notice.text !== text), { id, tone, text }].slice(-3));
  setTimeout(() => dismiss(id), lifeMs[tone]);
}
