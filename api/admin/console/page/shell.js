import { useEffect, useRef, useState } from 'preact/hooks';
import { api } from './api.js';
import { Confirmation, Dialog } from './dialog.js';
import { connection, openStream } from './events.js';
import { html } from './html.js';
import { Icon } from './icons.js';
import { listShortcuts, shortcutsOn, turnShortcuts, useKeys } from './keys.js';
import { useLive } from './live.js';
import { Login } from './login.js';
import { dismiss, notices } from './notices.js';
import { pages } from './pages.js';
import { Palette } from './palette.js';
import { Button } from './parts.js';
import { useRoute } from './route.js';
import { endSession, session } from './session.js';
import { useStore } from './store.js';
import { stepRows } from './table.js';

const countsEveryMs = 60_000;

/** The console: who is nobody's administrator sees a form, everybody else the page of the address. */
export function Shell() {
  const current = useStore(session);
  if (current) return html`<${Frame} session=${current} />`;
  return html`<main class="welcome">
      <h1>Quayside console</h1>
      <${Login} reason="For administrators and moderators of this marketplace." />
    </main>
    <${Notices} />`;
}

function Frame({ session: { email, profile, role, lapsed } }) {
  const { path } = useRoute();
  const offered = pages.filter(
    (page) => (!page.profile || page.profile === profile) && (role !== 'moderator' || page.role === 'moderator'),
  );
  const page = offered.find((each) => path === each.path || path.startsWith(`${each.path}/`)) ?? offered[0];
  const id = page.Detail && path.startsWith(`${page.path}/`) ? path.slice(page.path.length + 1) : undefined;
  const [help, setHelp] = useState(false);
  const [leaving, setLeaving] = useState(false);
  const [seeking, setSeeking] = useState(false);
  const main = useRef(null);
  const isFirst = useRef(true);

  useEffect(openStream, []);
  useEffect(() => {
    const onKey = (event) => {
      if (event.key.toLowerCase() !== 'k' || !(event.metaKey || event.ctrlKey) || event.altKey || event.shiftKey)
        return;
      event.preventDefault();
      if (!document.querySelector('dialog[open]')) setSeeking(true);
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, []);
  useEffect(() => {
    document.title = `${page.title} · Quayside console`;
    if (isFirst.current) isFirst.current = false;
    else main.current.focus();
    main.current.scrollTop = 0;
  }, [page, id]);
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
      <button type="button" class="rail-item" onClick=${() => setSeeking(true)}>
        <${Icon} name="search" /><span>Go to</span><kbd>Ctrl K</kbd>
      </button>
      <button type="button" class="rail-item" onClick=${() => setHelp(true)}>
        <${Icon} name="help" /><span>Keys</span><kbd>?</kbd>
      </button>
      <button type="button" class="rail-item" onClick=${() => setLeaving(true)}>
        <${Icon} name="leave" /><span>Log out</span>
      </button>
    <//>
    <main id="main" tabindex="-1" ref=${main}>
      <${Offline} />
      ${
        id === undefined
          ? html`<h1>${page.title}</h1>
              <${page.View} key=${page.path} />`
          : html`<${page.Detail} key=${path} id=${id} />`
      }
    </main>
    <${Notices} />
    <${Confirmation} />
    ${seeking && html`<${Palette} pages=${offered} onClose=${() => setSeeking(false)} />`}
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

/** Says when changes are not heard of, and what is shown may be old. */
function Offline() {
  const state = useStore(connection);
  return html`<div role="status" class="offline">
    ${state === 'offline' && html`<p class="note bad">Offline: what is shown may be old. The console tries again by itself.</p>`}
  </div>`;
}

function Rail({ pages: offered, page, children }) {
  const active = useRef(null);
  useEffect(() => center(active.current), [page]);
  return html`<nav class="rail" aria-label="Console">
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
  const { data = 0 } = useLive(of, { on: ['listing.', 'run.'], everyMs: countsEveryMs });
  return data > 0 ? html`<span class="count" title="${data} waiting">${data > 99 ? '99+' : data}</span>` : null;
}

function Leave({ email, onClose }) {
  const here = async () => {
    await api.delete('/api/me/sessions/current');
    endSession();
  };
  const everywhere = async () => {
    await api.post('/api/auth/logout-all');
    endSession();
  };
  return html`<${Dialog} title="Log out" onClose=${onClose}>
    <p>
      You are logged in as ${email}. Logging out here ends the session of this tab; logging out everywhere ends all
      your sessions.
    </p>
    <div class="row end">
      <${Button} onClick=${everywhere}>Log out everywhere<//>
      <${Button} kind="primary" autofocus onClick=${here}>Log out here<//>
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
        ({ id, text, action }) =>
          html`<div key=${id} class="notice ${tone}">
            <span>${text}</span>
            ${action && html`<${Button} small onClick=${() => act(id, action)}>${action.label}<//>`}
            <button type="button" class="quiet small" aria-label="Dismiss" onClick=${() => dismiss(id)}>✕</button>
          </div>`,
      );
  const act = (id, { run }) => {
    dismiss(id);
    return run();
  };
  return html`<div class="notices">
    <div role="status">${of('info')}</div>
    <div role="alert">${of('error')}</div>
  </div>`;
}
