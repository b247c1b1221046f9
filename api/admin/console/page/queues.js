import { useState } from 'preact/hooks';
import { api } from './api.js';
import { formatNumber } from './format.js';
import { html } from './html.js';
import { Button, Section, Status, Table } from './parts.js';
import { nameQueue } from './queue-words.js';

/** Something to tell: work that waits or runs, failures, and a pause. */
const tells = ({ queued, active, failed, dead, paused }) => queued + active + failed + dead > 0 || paused;
/** What needs somebody comes first, then what has most to do. */
const byNeed = (a, b) =>
  b.dead - a.dead ||
  Number(b.paused) - Number(a.paused) ||
  b.queued + b.active - a.queued - a.active ||
  b.failed - a.failed ||
  nameQueue(a.name).localeCompare(nameQueue(b.name));

/** The queues that have something to tell, or all of them. */
export function Queues({ live, onShow }) {
  const [all, setAll] = useState(false);
  const queues = live.data?.results;
  const rows = queues?.filter((queue) => all || tells(queue)).toSorted(byNeed);
  const act = (name, action) => async () => {
    const answer = await api.post(`/api/admin/queues/${name}/${action}`);
    await live.refresh();
    return answer;
  };
  const count = (name) => (row) => (row[name] === 0 ? html`<span class="faint">0</span>` : formatNumber(row[name]));
  const dead = ({ name, dead: n }) =>
    n === 0
      ? html`<span class="faint">0</span>`
      : html`<button
          type="button"
          class="small danger"
          aria-label="Jobs that ${name} has given up"
          onClick=${() => onShow(`${name}.dead`)}
        >
          ${formatNumber(n)}
        </button>`;
  const columns = [
    {
      title: 'Queue',
      grow: true,
      render: ({ name, paused, description }) =>
        html`<span class="row"><strong>${nameQueue(name)}</strong>${paused && html`<${Status} of="paused" />`}</span>
          <span class="faint not-phone" title=${name}>${description}</span>`,
    },
    { title: 'Waiting', align: 'end', render: count('queued') },
    { title: 'Running', align: 'end', phone: false, render: count('active') },
    { title: 'Failed', align: 'end', phone: false, render: count('failed') },
    { title: 'Given up', align: 'end', render: dead },
    { title: '', align: 'end', render: (queue) => html`<${QueueButtons} queue=${queue} act=${act} />` },
  ];
  const hidden = queues ? queues.length - rows.length : 0;
  const aside = html`<label class="check">
    <input type="checkbox" checked=${all} onChange=${(event) => setAll(event.currentTarget.checked)} />
    <span>All ${queues ? formatNumber(queues.length) : ''} queues</span>
  </label>`;
  return html`<${Section} title="Queues" live=${live} aside=${aside}>
    <${Table}
      label="Queues"
      columns=${columns}
      rows=${rows}
      keyOf=${({ name }) => name}
      onOpen=${({ name }) => onShow(name)}
      empty="Nothing waits, runs or has failed: all ${hidden} queues are empty."
    />
  <//>`;
}

function QueueButtons({ queue: { name, paused, dead }, act }) {
  return html`<span class="row">
    ${
      dead > 0 &&
      html`<${Button}
        small
        confirm=${{
          title: `Run what ${nameQueue(name)} has given up again?`,
          text: `${formatNumber(dead)} jobs go back into the queue.`,
          action: 'Run them again',
        }}
        onClick=${act(name, 'redrive')}
        done=${({ redriven }) => `${nameQueue(name)}: ${formatNumber(redriven)} jobs wait again.`}
      >
        Run again
      <//>`
    }
    ${
      paused
        ? html`<${Button}
            small
            kind="primary"
            aria-label="Resume ${name}"
            onClick=${act(name, 'resume')}
            done="${name} runs again."
          >
            Resume
          <//>`
        : html`<${Button}
            small
            aria-label="Pause ${name}"
            confirm=${{
              title: `Pause ${name}?`,
              text: 'Workers finish what they hold and take nothing new; jobs keep arriving and wait.',
              action: 'Pause',
            }}
            onClick=${act(name, 'pause')}
            done="${name} is paused."
          >
            Pause
          <//>`
    }
  </span>`;
}
