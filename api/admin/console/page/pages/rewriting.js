import { api, withQuery } from '../api.js';
import { formatNumber } from '../format.js';
import { html } from '../html.js';
import { useLive } from '../live.js';
import { Button, ErrorNote, Fresh, Pagination, Progress, Section, Select, Status, Table, Time } from '../parts.js';
import { RewriteMany, RewriteOne } from '../rewrite-forms.js';
import { RewriteTexts } from '../rewrite-texts.js';
import { useQuery } from '../route.js';

const everyMs = 15_000;
const perPage = 25;
const states = ['pending', 'processing', 'completed', 'failed', 'skipped'];

/** Rewritten texts: who writes them, how far they are, which failed and why. */
function View() {
  const counts = useLive((options) => api.get('api/admin/rewrite/status', options), { everyMs });
  return html`
    <${Fresh} of=${counts} />
    <${Provider} />
    <${Migration} onChange=${counts.refresh} />
    <${Locales} counts=${counts.data} />
    <${Texts} counts=${counts.data} onChange=${counts.refresh} />
    <${Section} title="Ask for texts">
      <div class="columns">
        <${RewriteOne} onQueued=${counts.refresh} />
        <${RewriteMany} onQueued=${counts.refresh} />
      </div>
    <//>
  `;
}

function Provider() {
  const { data, error, refresh } = useLive((options) => api.get('api/admin/rewrite/service', options), {
    everyMs: 60_000,
  });
  const health = !data ? '…' : data.configured ? (data.healthy ? 'healthy' : 'unreachable') : 'stub';
  return html`<${Section} title="Provider" aside=${html`<${Status} of=${health} />`}>
    <${ErrorNote} error=${error} retry=${refresh} />
    ${
      data &&
      (data.configured
        ? html`<p>
            ${data.provider},${' '}
            <code>${data.model}</code>${!data.healthy && '. It does not answer: texts wait until it does.'}
          </p>`
        : html`<p>
            No AI provider is configured: texts that are asked for are marked as skipped, and readers see the originals.
          </p>`)
    }
  <//>`;
}

function Migration({ onChange }) {
  const { data, error, refresh } = useLive((options) => api.get('api/admin/rewrite-migration/status', options), {
    on: ['run.'],
    everyMs: (run) => (run?.running ? 3_000 : 30_000),
  });
  const act = (what) => async () => {
    const answer = await api.post(`api/admin/rewrite-migration/${what}`);
    await Promise.all([refresh(), onChange()]);
    return answer;
  };
  const isPaused = Boolean(data?.paused_reason);
  const aside =
    data &&
    html`<${Status} of=${data.running ? 'running' : isPaused ? 'paused' : 'idle'} /> ${
      !data.running &&
      html`<${Button} small kind="primary" onClick=${act('start')} done="Rewriting has started."
          >${isPaused ? 'Resume' : 'Start'}<//
        >`
    }
      ${
        (data.running || isPaused) &&
        html`<${Button}
          small
          kind="danger"
          confirm=${{ title: 'Stop rewriting everything?', text: 'What is rewritten stays; a new start goes on with the rest.', action: 'Stop' }}
          onClick=${act('stop')}
          done=${({ status }) => (status === 'stopped' ? 'Rewriting has stopped.' : 'The listing at hand is finished first.')}
        >
          Stop
        <//>`
      }`;
  return html`<${Section} title="Rewriting everything" aside=${aside}>
    <${ErrorNote} error=${error} retry=${refresh} />
    ${
      data &&
      html`<div class="stack">
        <${Progress} value=${data.progress_percent} label="Rewriting everything" />
        <p class="faint">
          ${
            data.total === 0
              ? 'It has not had anything to do yet.'
              : `${formatNumber(data.migrated)} of ${formatNumber(data.total)} listings, ${formatNumber(data.failed)} failed, batch ${formatNumber(data.current_batch)}`
          }
        </p>
        ${isPaused && html`<p class="note bad">Paused: ${data.paused_reason}</p>`}
        ${data.last_error && html`<p class="faint">Last fault: ${data.last_error}</p>`}
      </div>`
    }
  <//>`;
}

function Locales({ counts }) {
  const [, change] = useQuery();
  const locales = Object.entries(counts?.by_locale ?? {}).toSorted(([one], [other]) => one.localeCompare(other));
  const rows = counts && [...locales, ['', counts]].map(([locale, of]) => ({ ...of, locale }));
  const cell = (state) => (row) =>
    row[state] === 0
      ? html`<span class="faint number count-cell">0</span>`
      : html`<button
          type="button"
          class="quiet number count-cell"
          aria-label=${`Show ${formatNumber(row[state])} ${state}${row.locale && ` in ${row.locale}`}`}
          onClick=${() => change({ locale: row.locale, state, page: undefined, id: undefined })}
        >
          ${state === 'failed' ? html`<span class="badge bad">${formatNumber(row[state])}</span>` : formatNumber(row[state])}
        </button>`;
  const columns = [
    { title: 'Locale', render: ({ locale }) => html`<strong>${locale || 'all'}</strong>` },
    ...states.map((state) => ({ title: state, align: 'end', render: cell(state) })),
  ];
  return html`<${Section} title="Texts by locale">
    <${Table} label="Texts by locale" columns=${columns} rows=${rows} keyOf=${({ locale }) => locale} />
  <//>`;
}

function Texts({ counts, onChange }) {
  const [query, change] = useQuery();
  const { state = 'failed', locale = '', id: opened } = query;
  const page = Number(query.page) || 1;
  const filter = { status: state === 'all' ? undefined : state, locale, page, limit: perPage };
  const texts = useLive((options) => api.get(withQuery('api/admin/rewrite/texts', filter), options), {
    everyMs: 15_000,
    inputs: [state, locale, page],
  });
  const narrow = (changes) => change({ ...changes, page: undefined });
  const columns = [
    {
      title: 'Listing',
      grow: true,
      render: ({ listing, error }) => html`${listing.title}${error && html`<p class="why">${error}</p>`}`,
    },
    { title: 'Locale', render: (text) => text.locale },
    {
      title: 'State',
      render: ({ status, edited_by_human: edited }) => html`<${Status} of=${status} />${edited && ' by hand'}`,
    },
    { title: 'Tries', align: 'end', phone: false, render: ({ attempts }) => attempts },
    { title: 'Since', phone: false, render: ({ updated_at: at }) => html`<${Time} at=${at} />` },
  ];
  const aside = html`<${Select}
      label="State"
      value=${state}
      options=${[...states, 'all']}
      onChange=${(next) => narrow({ state: next })}
    />
    <${Select}
      label="Locale"
      value=${locale}
      options=${[['', 'all'], ...Object.keys(counts?.by_locale ?? {}).toSorted()]}
      onChange=${(next) => narrow({ locale: next })}
    />`;
  return html`<${Section} title="Texts" aside=${aside}>
    <${ErrorNote} error=${texts.error} retry=${texts.refresh} />
    <${Table}
      label="Texts"
      columns=${columns}
      rows=${texts.data?.results}
      keyOf=${({ listing, locale: of }) => `${listing.id} ${of}`}
      onOpen=${({ listing }) => change({ id: listing.id })}
      stale=${texts.stale}
      empty=${state === 'failed' ? 'No text has failed.' : 'No text is in this state.'}
    />
    <${Pagination} of=${texts.data?.pagination} onPage=${(next) => change({ page: next })} />
    ${
      opened &&
      html`<${RewriteTexts}
        key=${opened}
        id=${opened}
        onClose=${() => change({ id: undefined })}
        onQueued=${() => Promise.all([texts.refresh(), onChange()])}
      />`
    }
  <//>`;
}

export const page = { path: '#/rewriting', title: 'Rewriting', shortcut: 'g w', View };
