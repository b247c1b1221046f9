import { useEffect, useRef, useState } from 'preact/hooks';
import { api } from './api.js';
import { Confirmation, Dialog } from './dialog.js';
import { html } from './html.js';
import { Icon } from './icons.js';
import { listShortcuts, shortcutsOn, turnShortcuts, useKeys } from './keys.js';
import { usePolling } from './live.js';
import { Login } from './login.js';
import { dismiss, notices } from './notices.js';
import { pages } from './pages.js';
import { Button } from './parts.js';
import { useRoute } from './route.js';
import { endSession, session } from './session.js';
import { useStore } from './store.js';
import { stepRows } from './table.js';

const countsEveryMs = 30_000;

/** The console: who is nobody's administrator sees a form, everybody else the page of the address. */
export function Shell() {
  const current = useStore(session);
  if (current) return html`<${Frame} session=${current} />`;
  return html`<main class="welcome">
      <h1>Quayside console</h1>
      <${Login} reason="For administrators of this marketplace." />
    </main>
    <${Notices} />`;
}

function Frame({ session: { email, profile, lapsed } }) {
  const { path } = useRoute();
  const offered = pages.filter((page) => !page.profile || page.profile === profile);
  const page = offered.find((each) => each.path === path) ?? offered[0];
  const [help, setHelp] = useState(false);
  const [leaving, setLeaving] = useState(false);
  const main = useRef(null);
  const isFirst = useRef(true);

  useEffect(() => {
    document.title = `${page.title} · Quayside console`;
    if (isFirst.current) isFirst.current = false;
    else main.current.focus();
    main.current.scrollTop = 0;
  }, [page]);
  useKeys([
    ...offered.map(({ shortcut, title, path }) => ({
      keys: shortcut,
      label: title,
      run: () => (location.hash = path),
    })),
    { keys: 'j', label: 'Next row', run: () => stepRows(1) },
    { keys: 'k', label: 'Previous row', run: () => stepRows(-1) },
    { keys: '?', label: 'Keyboard shortcuts', run: () => setHelp(true) },
  ]);
  const skip = (event) => {
    event.preventDefault();
    main.current.focus();
  };

  return html`<div class="shell">
    <a class="skip" href="#main" onClick=${skip}>Skip to the page</a>
    <${Rail} pages=${offered} page=${page}>
      <button type="button" class="rail-item" onClick=${() => setHelp(true)}>
        <${Icon} name="help" /><span>Keys</span><kbd>?</kbd>
      </button>
      <button type="button" class="rail-item" onClick=${() => setLeaving(true)}>
        <${Icon} name="leave" /><span>Log out</span>
      </button>
    <//>
    <main id="main" tabindex="-1" ref=${main}>
      <h1>${page.title}</h1>
      <${page.View} key=${page.path} />
    </main>
    <${Notices} />
    <${Confirmation} />
    ${help && html`<${Help} onClose=${() => setHelp(false)} />`}
    ${leaving && html`<${Leave} email=${email} onClose=${() => setLeaving(false)} />`}
    ${
      lapsed &&
      html`<${Dialog} title="Log in again" locked onClose=${endSession}>
        <${Login} email=${email} reason="Your session has ended. What you typed on the page is kept." />
        <button type="button" class="quiet" onClick=${endSession}>Leave the page</button>
      <//>`
    }
  </div>`;
}

function Rail({ pages: offered, page, children }) {
  const active = useRef(null);
  useEffect(() => center(active.current), [page]);
  return html`<nav class="rail" aria-label="Pages">
    <p class="brand">Quayside</p>
    ${offered.map(
      (each) =>
        html`<a
          key=${each.path}
          ref=${each === page ? active : undefined}
          class="rail-item"
          href=${each.path}
          aria-current=${each === page ? 'page' : undefined}
        >
          <${Icon} name=${each.path.slice(2)} />
          <span class="not-phone">${each.title}</span>
          <span class="phone-only">${each.short ?? each.title}</span>
          ${each.count && html`<${Count} of=${each.count} />`}
          <kbd>${each.shortcut}</kbd>
        </a>`,
    )}
    <div class="rail-end">${children}</div>
  </nav>`;
}

/** Scrolls a list so far that an entry is in its middle; scrollIntoView would move where the next Tab begins. */
function center(entry) {
  if (!entry) return;
  const [own, all] = [entry, entry.parentElement].map((each) => each.getBoundingClientRect());
  entry.parentElement.scrollBy({
    left: own.left + own.width / 2 - all.left - all.width / 2,
    top: own.top + own.height / 2 - all.top - all.height / 2,
  });
}

function Count({ of }) {
  const { data = 0 } = usePolling(of, countsEveryMs);
  return data > 0 ? html`<span class="count" title="${data} waiting">${data > 99 ? '99+' : data}</span>` : null;
}

function Leave({ email, onClose }) {
  const everywhere = async () => {
    await api.post('/api/auth/logout-all');
    endSession();
  };
  return html`<${Dialog} title="Log out" onClose=${onClose}>
    <p>
      You are logged in as ${email}. Logging out here forgets the session of this tab; logging out everywhere ends all
      your sessions.
    </p>
    <div class="row end">
      <${Button} onClick=${everywhere}>Log out everywhere<//>
      <button type="button" class="primary" autofocus onClick=${endSession}>Log out here</button>
    </div>
  <//>`;
}

function Help({ onClose }) {
  const on = useStore(shortcutsOn);
  const groups = Map.groupBy(listShortcuts(), ({ keys }) => (keys.startsWith('g ') ? 'Go to' : 'On this page'));
  return html`<${Dialog} title="Keyboard shortcuts" onClose=${onClose}>
    <div class="keys">
      ${[...groups].map(
        ([title, shortcuts]) =>
          html`<section>
            <h3>${title}</h3>
            <dl>
              ${shortcuts.map(
                ({ keys, label }) =>
                  html`<div>
                    <dt>${keys.split(' ').map((key) => html`<kbd>${key}</kbd> `)}</dt>
                    <dd>${label}</dd>
                  </div>`,
              )}
              ${
                title === 'On this page' &&
                html`<div>
                  <dt><kbd>Enter</kbd></dt>
                  <dd>Open the row</dd>
                </div>`
              }
            </dl>
          </section>`,
      )}
    </div>
    <label class="check">
      <input type="checkbox" checked=${on} onChange=${(event) => turnShortcuts(event.currentTarget.checked)} />
      <span>Single keys are shortcuts</span>
    </label>
  <//>`;
}

/** What was done, read aloud politely; what failed, at once. */
function Notices() {
  const shown = useStore(notices);
  const of = (tone) =>
    shown
      .filter((notice) => notice.tone === tone)
      .map(
        ({ id, text }) =>
          html`<div key=${id} class="notice ${tone}">
            <span>${text}</span>
            <button type="button" class="quiet small" aria-label="Dismiss" onClick=${() => dismiss(id)}>✕</button>
          </div>`,
      );
  return html`<div class="notices">
    <div role="status">${of('info')}</div>
    <div role="alert">${of('error')}</div>
  </div>`;
}
