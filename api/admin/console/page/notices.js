import { createStore } from './store.js';

const lifeMs = { info: 5_000, error: 12_000 };
/** What can be taken back is offered for longer. */
const actionLifeMs = 15_000;

/** @type {ReturnType<typeof createStore<{ id: number, tone: 'info' | 'error', text: string, action?: { label: string, run: () => unknown } }[]>>} */
export const notices = createStore([]);
let last = 0;

/** Tells what was done: shown for a while, and read aloud; with `action`, a button to go on from there. */
export const say = (text, action) => add('info', text, action);

/** Tells why something was not done. */
export const complain = (error) => add('error', describeError(error));

/** An error in words: what the API said, with the fields it objects to. */
export function describeError(error) {
  const fields = (error?.errors ?? []).map(({ path, message }) => `${path.replace(/^\/\w+\/?/, '')}: ${message}`);
  return [error?.message ?? String(error), ...fields].join(' ');
}

/** @param {number} id */
export const dismiss = (id) => notices.write(notices.read().filter((notice) => notice.id !== id));

function add(tone, text, action) {
  last += 1;
  const id = last;
  notices.write([...notices.read().filter((notice) => notice.text !== text), { id, tone, text, action }].slice(-3));
  setTimeout(() => dismiss(id), action ? actionLifeMs : lifeMs[tone]);
}
