import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { api, withQuery } from './api.js';
import { html } from './html.js';
import { Icon } from './icons.js';
import { hrefOf } from './links.js';
import { complain, describeError, say } from './notices.js';
import { nameQueue } from './queue-words.js';
import { session } from './session.js';

const pauseMs = 180;
const kinds = {
  listing: 'Listing',
  user: 'Person',
  scraper: 'Scraper',
  payment: 'Payment',
  webhook: 'Webhook',
  run: 'Run',
  job: 'Job',
  duplicates: 'Duplicates',
};
const icons = {
  user: 'people',
  listing: 'listings',
  scraper: 'scrapers',
  payment: 'payments',
  webhook: 'webhooks',
  run: 'runs',
  job: 'jobs',
};

const post = (path, told) => () => api.post(path).then(() => say(told));
/** What can be done from anywhere. */
const actions = [
  { title: 'New scraper', words: 'learn a site add', href: '#/scrapers?making=1' },
  { title: 'Back up the database now', words: 'backup export', run: post('/api/admin/backup', 'Backup: queued.') },
  { title: 'Look for duplicates', words: 'dedup scan', run: post('/api/admin/dedup/job/start', 'Duplicates: queued.') },
  {
    title: 'Fetch missing pictures',
    words: 'images',
    run: post('/api/admin/localize-images', 'Missing pictures: queued.'),
  },
  {
    title: 'Let listings expire now',
    words: 'expiry',
    run: post('/api/admin/expire-listings', 'What is over has expired.'),
  },
  { title: 'Listings that are reported', words: 'flagged spam fraud', href: '#/listings?reported=true' },
  { title: 'Webhooks that fail', words: 'errors', href: '#/webhooks?state=failing' },
  { title: 'Runs that failed', words: 'errors', href: '#/runs?status=failed' },
];

/** Moderators go to their pages alone: what they may not ask for is not offered. */
const mayAll = () => session.read()?.role === 'admin';

const fits = (text, words) => words.every((word) => text.toLowerCase().includes(word));

/** One field to go anywhere: pages, actions, and whatever has that id, title, name or e-mail address. */
export function Palette({ pages, onClose }) {
  const [text, setText] = useState('');
  const [found, setFound] = useState({ q: '', results: [] });
  const [error, setError] = useState(undefined);
  const [chosen, setChosen] = useState(0);
  const dialog = useRef(null);
  const q = text.trim();
  // Before the next key: what is typed at once belongs to the field.
  useLayoutEffect(() => {
    const before = document.activeElement;
    dialog.current.showModal();
    return () => before instanceof HTMLElement && before.focus();
  }, []);
  useEffect(() => {
    setChosen(0);
    setError(undefined);
    if (q.length < 2 || !mayAll()) return undefined;
    const controller = new AbortController();
    const timer = setTimeout(() => {
      api
        .get(withQuery('/api/admin/search', { q }), { signal: controller.signal })
        .then(({ results }) => setFound({ q, results }))
        .catch((failure) => !controller.signal.aborted && setError(failure));
    }, pauseMs);
    return () => {
      controller.abort();
      clearTimeout(timer);
    };
  }, [q]);

  const words = q.toLowerCase().split(/\s+/).filter(Boolean);
  const things = q.length < 2 ? [] : found.results;
  const entries = [
    ...pages
      .filter(({ title }) => fits(title, words))
      .map(({ path, title, shortcut }) => ({ kind: 'Page', icon: path.slice(2), title, note: shortcut, href: path })),
    ...actions
      .filter((action) => mayAll() && q !== '' && fits(`${action.title} ${action.words}`, words))
      .map((action) => ({ kind: 'Action', icon: 'runs', note: '', ...action })),
    ...things.map(({ kind, id, title, note }) => ({
      kind: kinds[kind],
      icon: icons[kind] ?? kind,
      title: kind === 'job' ? nameQueue(title) : title,
      note,
      href: kind === 'job' ? `#/jobs/${id}` : hrefOf(id),
    })),
  ];
  const at = Math.min(chosen, Math.max(0, entries.length - 1));
  const go = (entry) => {
    onClose();
    if (entry.href) location.hash = entry.href;
    else entry.run().catch(complain);
  };
  const onKey = (event) => {
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      event.preventDefault();
      const next = (at + (event.key === 'ArrowDown' ? 1 : -1) + entries.length) % Math.max(1, entries.length);
      setChosen(next);
      document.querySelector(`#palette-${next}`)?.scrollIntoView({ block: 'nearest' });
    } else if (event.key === 'Enter' && entries[at]) {
      event.preventDefault();
      go(entries[at]);
    }
  };
  return html`<dialog
    ref=${dialog}
    class="dialog palette"
    aria-label="Go to anything"
    onClose=${onClose}
    onMouseDown=${(event) => event.target === dialog.current && onClose()}
  >
    <input
      role="combobox"
      aria-label="Go to anything"
      aria-expanded="true"
      aria-controls="palette-list"
      aria-activedescendant=${entries.length > 0 ? `palette-${at}` : undefined}
      placeholder=${mayAll() ? 'A page, an action, an id, a title, a name or an e-mail' : 'A page'}
      maxlength="200"
      autofocus
      autocomplete="off"
      value=${text}
      onInput=${(event) => setText(event.currentTarget.value)}
      onKeyDown=${onKey}
    />
    <ul id="palette-list" role="listbox" aria-label="What there is">
      ${entries.map(
        (entry, index) =>
          html`<li
            key=${`${entry.kind} ${entry.href ?? entry.title}`}
            id="palette-${index}"
            role="option"
            aria-selected=${index === at}
            onClick=${() => go(entry)}
            onPointerMove=${() => setChosen(index)}
          >
            <${Icon} name=${entry.icon} />
            <span class="palette-title">${entry.title}</span>
            <span class="faint">${entry.note}</span>
            <span class="faint not-phone">${entry.kind}</span>
          </li>`,
      )}
    </ul>
    <p class="empty" role="status">
      ${error ? describeError(error) : entries.length === 0 ? (found.q === q || q.length < 2 || !mayAll() ? 'Nothing goes by that.' : 'Looking …') : ''}
    </p>
  </dialog>`;
}
