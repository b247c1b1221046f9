import { useRef, useState } from 'preact/hooks';
import { api, withQuery } from '../api.js';
import { useDecisions } from '../decisions.js';
import { Deck, useSelection } from '../deck.js';
import { formatScore, nameTopics } from '../dedup-words.js';
import { confirm } from '../dialog.js';
import { html } from '../html.js';
import { useKeys } from '../keys.js';
import { useLive } from '../live.js';
import { GroupOfAddress, groupsPath, titleOf } from '../group-view.js';
import { complain, say } from '../notices.js';
import { Button, Empty, Fresh, Pagination, Select, Time } from '../parts.js';
import { useQuery } from '../route.js';
import { Scan } from '../scan.js';

/** Groups that single listings join are told by no event. */
const everyMs = 30_000;
const perPage = 30;

const statuses = [
  ['detected', 'Undecided', 'groups_pending', 'No group waits for a decision.'],
  ['merged', 'Merged', 'groups_merged', 'Nothing is merged.'],
  ['rejected', 'Rejected', 'groups_rejected', 'Nothing was rejected.'],
];

const readStats = (options) => api.get(`${groupsPath}/stats`, options);

/** Groups of duplicates: one at a time side by side, to be merged, rejected, or taken apart again. */
function View() {
  const [query, change] = useQuery();
  const [status, , , empty] = statuses.find(([name]) => name === query.status) ?? statuses[0];
  const page = Number(query.page) || 1;
  const filter = { status, min_confidence: query.sure, page, limit: perPage };
  const groups = useLive((options) => api.get(withQuery(groupsPath, filter), options), {
    on: ['run.'],
    everyMs,
    inputs: Object.values(filter),
  });
  const stats = useLive(readStats, { on: ['run.'], everyMs });
  const refresh = () => Promise.all([groups.refresh(), stats.refresh()]);
  const { decided, settle, forget } = useDecisions(refresh);
  const entries = groups.stale
    ? []
    : (groups.data?.results ?? []).filter(({ id }) => status !== 'detected' || !decided.has(id));
  const selection = useSelection(entries);
  const [chosen, setChosen] = useState(() => new Set());
  const mergedHere = useRef([]);

  const next = () => selection.select(entries[selection.index + 1]?.id ?? entries[selection.index - 1]?.id);
  const merge = (group, keepId) => {
    next();
    return settle(
      group.id,
      () => api.post(`${groupsPath}/${group.id}/merge`, keepId ? { canonical_id: keepId } : {}),
      (merged) => {
        mergedHere.current.push(group.id);
        return `Merged: ${titleOf(merged)}. Take it back with u, or among the merged.`;
      },
    );
  };
  const reject = async (group) => {
    const text = 'No two of these listings are ever put into one group again.';
    if (!(await confirm({ title: 'No duplicates?', text, action: 'Reject' }))) return;
    next();
    await settle(
      group.id,
      () => api.post(`${groupsPath}/${group.id}/reject`),
      () => `Rejected: ${titleOf(group)}`,
    );
  };
  const unmerge = async (id) => {
    try {
      const group = await api.post(`${groupsPath}/${id}/unmerge`);
      const lost = (group.not_restored ?? []).map(({ listing_id: listing, reason }) => `${listing}: ${reason}`);
      say([`Taken apart: ${titleOf(group)}.`, ...lost].join(' '));
      mergedHere.current = mergedHere.current.filter((each) => each !== id);
      forget(id);
      change({ status: undefined, id });
    } catch (error) {
      complain(error);
    }
    await refresh();
  };
  const choose = (id) => setChosen((before) => before.symmetricDifference(new Set([id])));
  const mergeChosen = async () => {
    const { merged, failed } = await api.post(`${groupsPath}/bulk-merge`, { ids: [...chosen] });
    setChosen(new Set());
    for (const { id, reason } of failed.slice(0, 2)) complain(new Error(`${id}: ${reason}`));
    await refresh();
    return `${merged} of ${merged + failed.length} groups merged.`;
  };
  useKeys([
    {
      keys: 'u',
      label: 'Take the last merge back',
      run: () => {
        const last = mergedHere.current.at(-1);
        if (last) void unmerge(last);
        else say('There is no merge of this visit to take back.');
      },
    },
  ]);

  return html`
    <${Fresh} of=${groups} />
    <${Deck}
      label="Groups"
      noun="group"
      entries=${entries}
      selection=${selection}
      tools=${html`<${Tools} status=${status} stats=${stats.data} sure=${query.sure} change=${change} onScanned=${refresh} />`}
      renderEntry=${renderEntry}
      renderMark=${
        status === 'detected'
          ? (group) =>
              html`<input
                type="checkbox"
                aria-label=${`Choose ${titleOf(group)}`}
                checked=${chosen.has(group.id)}
                onChange=${() => choose(group.id)}
              />`
          : undefined
      }
      footer=${html`
        ${
          status === 'detected' &&
          entries.length > 0 &&
          html`<div class="row">
            <button
              type="button"
              class="small"
              onClick=${() => setChosen(new Set(chosen.size > 0 ? [] : entries.map(({ id }) => id)))}
            >
              ${chosen.size > 0 ? 'Choose none' : 'Choose all'}
            </button>
            <${Button}
              small
              kind="primary"
              disabled=${chosen.size === 0}
              confirm=${{
                title: `Merge ${chosen.size} ${chosen.size === 1 ? 'group' : 'groups'}?`,
                text: 'In each the best listing is kept. Every merge can be taken back by itself.',
                action: 'Merge',
              }}
              onClick=${mergeChosen}
              done=${(told) => told}
            >
              Merge chosen (${chosen.size})
            <//>
          </div>`
        }
        <${Pagination} of=${groups.data?.pagination} onPage=${(to) => change({ page: to, id: undefined })} />
      `}
    >
      ${
        selection.id
          ? html`<${GroupOfAddress}
              key=${selection.id}
              id=${selection.id}
              entry=${selection.entry}
              choose=${choose}
              act=${{ merge, reject, unmerge }}
            />`
          : groups.data && !groups.stale && html`<${Empty}>${entries.length === 0 ? empty : 'Choose a group.'}<//>`
      }
    <//>
  `;
}

const renderEntry = (group) =>
  html`<span class="entry-title">${titleOf(group)}</span>
    <span class="entry-note">
      <strong class="number">${formatScore(group.confidence)}</strong> · ${group.members.length} listings ·
      ${' '}<${Time} at=${group.resolved_at ?? group.detected_at} />
    </span>
    <span class="entry-note">${nameTopics(group.reasons).slice(0, 3).join(', ')}</span>`;

function Tools({ status, stats, sure, change, onScanned }) {
  return html`<div class="tabs" role="group" aria-label="Status">
      ${statuses.map(
        ([name, title, count]) =>
          html`<button
            type="button"
            key=${name}
            aria-pressed=${name === status}
            onClick=${() => change({ status: name, page: undefined, id: undefined })}
          >
            ${title} <span class="number">${stats?.[count] ?? ''}</span>
          </button>`,
      )}
    </div>
    <div class="row">
      <${Select}
        label="From"
        value=${sure ?? ''}
        options=${[['', 'any'], ...[0.7, 0.8, 0.9, 0.95].map((score) => [String(score), formatScore(score)])]}
        onChange=${(value) => change({ sure: value, page: undefined, id: undefined })}
      />
      <${Scan}  lastAt=${stats?.last_scan_at} onScanned=${onScanned} />
    </div>`;
}

export const page = {
  path: '#/duplicates',
  title: 'Duplicates',
  role: 'moderator',
  shortcut: 'g d',
  View,
  count: async (options) => (await readStats(options)).groups_pending,
};
