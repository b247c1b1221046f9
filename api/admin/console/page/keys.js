import { useLayoutEffect, useRef } from 'preact/hooks';
import { createStore } from './store.js';

const prefixMs = 1_200;
const storageKey = 'quayside.console.keys';

/** Whether single keys are shortcuts; kept in this browser. */
export const shortcutsOn = createStore(localStorage.getItem(storageKey) !== 'off');

/** @param {boolean} on */
export function turnShortcuts(on) {
  localStorage.setItem(storageKey, on ? 'on' : 'off');
  shortcutsOn.write(on);
}

/** @type {{ order: number, shortcuts: Shortcut[] }[]} the innermost last */
const layers = [];
let rendered = 0;
let prefix = '';
let prefixTimer;

/**
 * @typedef {{ keys: string, label?: string, run: (event: KeyboardEvent) => void }} Shortcut
 * `keys` is one key ('m', '?', 'Escape') or two after one another ('g d'); without a label it is not listed.
 */

/**
 * Listens to shortcuts from the moment that the component is in the page until it has gone. What mounted later comes first; fields
 * keep their keys.
 * @param {Shortcut[]} shortcuts
 */
export function useKeys(shortcuts) {
  const layer = useRef(undefined);
  // A component renders before those inside it, but mounts after them.
  layer.current ??= { order: (rendered += 1), shortcuts };
  layer.current.shortcuts = shortcuts;
  useLayoutEffect(() => {
    const own = layer.current;
    layers.push(own);
    layers.sort((a, b) => a.order - b.order);
    return () => void layers.splice(layers.indexOf(own), 1);
  }, []);
}

/** All shortcuts that work now, each key once. */
export function listShortcuts() {
  const byKeys = new Map();
  for (const layer of layers) for (const shortcut of layer.shortcuts) byKeys.set(shortcut.keys, shortcut);
  return [...byKeys.values()].filter(({ label }) => label);
}

/** @param {KeyboardEvent} event */
function onKey(event) {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
  if (document.querySelector('dialog[open]')) return;
  const isField =
    event.target instanceof Element && event.target.closest('input:not([type=checkbox]), textarea, select');
  if (isField || (!shortcutsOn.read() && event.key !== 'Escape')) return;
  const all = layers.toReversed().flatMap(({ shortcuts }) => shortcuts);
  const typed = prefix ? `${prefix} ${event.key}` : event.key;
  forgetPrefix();
  const found = all.find(({ keys }) => keys === typed);
  if (found) {
    event.preventDefault();
    found.run(event);
  } else if (all.some(({ keys }) => keys.startsWith(`${event.key} `))) {
    prefix = event.key;
    prefixTimer = setTimeout(forgetPrefix, prefixMs);
  }
}

function forgetPrefix() {
  clearTimeout(prefixTimer);
  prefix = '';
}

addEventListener('keydown', onKey);
