import { useState } from 'preact/hooks';
import { api } from './api.js';
import { formatScore, nameTopics } from './dedup-words.js';
import { html } from './html.js';
import { useKeys } from './keys.js';
import { Id } from './links.js';
import { useLive } from './live.js';
import { Members } from './members.js';
import { Button, ErrorNote, Status, Time } from './parts.js';

/** Where the API keeps the groups. */
export const groupsPath = 'api/admin/nautical/dedup';

/** What a group is called: the title of its first listing that is still there. */
export const titleOf = ({ members }) =>
  members.find(({ listing }) => listing)?.listing.title ?? 'Listings that are gone';

/** The group of the address: from the list, or asked for when it is not on this page of it. */
export function GroupOfAddress({ id, entry, choose, act }) {
  const found = useLive(async (options) => entry ?? api.get(`${groupsPath}/${id}`, options), { inputs: [id] });
  const group = entry ?? found.data;
  if (!group) return html`<${ErrorNote} error=${found.error} retry=${found.refresh} />`;
  return html`<${Group} group=${group} choose=${choose} act=${act} />`;
}

function Group({ group, choose, act }) {
  const [keepId, keep] = useState(group.canonical_id);
  const { id, status, members } = group;
  const isOpen = status === 'detected';
  const numbers = members.slice(0, 9).map(({ listing_id: member }, index) => ({
    keys: String(index + 1),
    ...(index === 0 && { label: 'Keep the first listing; 2 the second, up to 9' }),
    run: () => keep(member),
  }));
  useKeys(
    isOpen
      ? [
          ...numbers,
          { keys: 'm', label: 'Merge', run: () => void act.merge(group, keepId) },
          { keys: 'r', label: 'Reject: no duplicates', run: () => void act.reject(group) },
          { keys: 's', label: 'Choose for merging many', run: () => choose(id) },
        ]
      : status === 'merged'
        ? [{ keys: 'u', label: 'Take this merge back', run: () => void act.unmerge(id) }]
        : [],
  );
  return html`<article class="case" aria-label=${titleOf(group)}>
    <header>
      <h2>${formatScore(group.confidence)} · ${members.length} listings</h2>
      <p class="row"><${Status} of=${status} /><code>${id}</code></p>
      <p class="faint">
        Found${' '}<${Time} at=${group.detected_at} />${
          group.resolved_at &&
          html`, decided${' '}<${Time} at=${group.resolved_at} />${' '}${
            group.resolved_by ? html`by${' '}<${Id} of=${group.resolved_by} />` : 'by itself'
          }`
        }${group.reasons.length > 0 && `. ${nameTopics(group.reasons).join(', ')}.`}
      </p>
    </header>
    <${Members} group=${group} keepId=${isOpen ? keepId : group.canonical_id} onKeep=${isOpen ? keep : undefined} />
    ${
      status !== 'rejected' &&
      html`<footer class="decision">
        ${
          isOpen
            ? html`<button type="button" class="primary" onClick=${() => act.merge(group, keepId)}>
                  Merge <kbd>m</kbd>
                </button>
                <button type="button" class="danger" onClick=${() => act.reject(group)}>Reject … <kbd>r</kbd></button>`
            : html`<${Button} onClick=${() => act.unmerge(id)}>Take the merge back <kbd>u</kbd><//>`
        }
      </footer>`
    }
  </article>`;
}
