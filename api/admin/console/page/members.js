import { formatScore, nameRestraint, nameWeight, sumUpReasons } from './dedup-words.js';
import { html } from './html.js';
import { factsOf, Moment, Pictures, sellerOf, webAddress } from './listing-view.js';
import { Status } from './parts.js';

const heaviest = 5;
/** What tells of a listing, and not of the thing. */
const besides = new Set(['Seller', 'Favorites']);

/**
 * The listings of a group side by side, the same facts in one line, and what differs from the one to keep marked.
 * @param {{ group: any, keepId: string | null, onKeep?: (id: string) => void }} props
 */
export function Members({ group, keepId, onKeep }) {
  const { members } = group;
  const facts = members.map(({ listing, favorites }) =>
    listing === null ? [] : [...factsOf(listing), ['Seller', sellerOf(listing)], ['Favorites', String(favorites)]],
  );
  const names = [...new Set(facts.flat().flatMap(([name, text]) => (text === undefined ? [] : [name])))];
  const kept = members.find(({ listing_id: id }) => id === keepId);
  const keptFacts = new Map(facts[members.indexOf(kept)]);
  const numberOf = new Map(members.map(({ listing_id: id }, index) => [id, index + 1]));
  return html`<div
    class="members"
    style=${{ gridTemplateRows: `repeat(${names.length + 7}, auto)` }}
    tabindex="0"
    role="region"
    aria-label="Members side by side"
  >
    ${members.map(
      (member, index) =>
        html`<${Member}
          key=${member.listing_id}
          member=${member}
          number=${index + 1}
          names=${names}
          facts=${new Map(facts[index])}
          kept=${kept === member ? undefined : kept}
          keptFacts=${keptFacts}
          isKept=${kept === member}
          onKeep=${onKeep}
          numberOf=${numberOf}
        />`,
    )}
  </div>`;
}

function Member({ member, number, names, facts, kept, keptFacts, isKept, onKeep, numberOf }) {
  const { listing_id: id, listing, site, url } = member;
  const span = { gridRow: `span ${names.length + 7}` };
  if (listing === null)
    return html`<article class="member" style=${span} aria-label=${`Member ${number}`}>
      <header><strong>${number}</strong> <${Status} of="gone" /></header>
      <p class="faint">${id}</p>
    </article>`;
  const page = url && webAddress(url);
  return html`<article
    class=${isKept ? 'member kept' : 'member'}
    style=${span}
    aria-label=${`Member ${number}: ${listing.title}`}
  >
    <header>
      ${
        onKeep
          ? html`<button type="button" class="keep" aria-pressed=${isKept} onClick=${() => onKeep(id)}>
              <kbd>${number}</kbd> ${isKept ? 'To keep' : 'Keep'}
            </button>`
          : html`<strong>${number}${isKept ? ' · kept' : ''}</strong>`
      }
      <span class="row"
        ><${Status} of=${listing.status} /><span class="number" title="Its strongest link"
          >${formatScore(member.score)}</span
        ></span
      >
    </header>
    <${Pictures} listing=${listing} most=${4} />
    <h3 lang=${listing.meta.language}>
      <a href="#/listings/${listing.id}"><${Words} text=${listing.title} like=${kept?.listing?.title} /></a>
    </h3>
    <dl style=${{ gridRow: `span ${names.length + 2}` }}>
      ${names.map((name) => {
        const text = facts.get(name);
        const differs = kept && !besides.has(name) && text !== keptFacts.get(name);
        return html`<div key=${name}>
          <dt>${name}</dt>
          <dd>${differs ? html`<mark title="Differs from the one to keep">${text ?? '–'}</mark>` : (text ?? '–')}</dd>
        </div>`;
      })}
      <div>
        <dt>Site</dt>
        <dd>
          ${page ? html`<a href=${page} target="_blank" rel="noopener noreferrer">${site ?? 'page'}</a>` : (site ?? '–')}
        </dd>
      </div>
      <div>
        <dt>Listed</dt>
        <dd><${Moment} at=${listing.created_at} /></dd>
      </div>
    </dl>
    <details class="told" open>
      <summary>Description</summary>
      <p class="prose" lang=${listing.meta.language} tabindex="0">
        <${Words} text=${listing.description} like=${kept?.listing?.description} />
      </p>
    </details>
    <${Evidence} member=${member} first=${kept?.listing_id} numberOf=${numberOf} />
  </article>`;
}

const bare = (word) => word.toLowerCase().replaceAll(/[^\p{L}\p{N}]+/gu, '');

/** A text with the words marked that the other one does not have; one that has hardly any of them is another text altogether. */
function Words({ text, like }) {
  if (like === undefined || like === text) return text;
  const known = new Set(like.split(/\s+/).map(bare));
  const parts = text.split(/(\s+)/);
  const isOwn = (part) => bare(part) !== '' && !known.has(bare(part));
  const words = parts.filter((part) => part.trim() !== '');
  if (words.filter(isOwn).length > words.length * 0.7) return text;
  return parts.map((part) => (isOwn(part) ? html`<mark>${part}</mark>` : part));
}

/** What speaks for and against a member's being one thing with the others: the one to keep first. */
function Evidence({ member, first, numberOf }) {
  const links = member.evidence.toSorted((a, b) => Number(b.listing_id === first) - Number(a.listing_id === first));
  if (links.length === 0) return html`<p class="faint">No link of its own: it came with the others.</p>`;
  return html`<div class="evidence">
    ${links.map(
      ({ listing_id: other, score, reasons, restraints }, index) =>
        html`<details key=${other} open=${index === 0}>
          <summary>
            ${numberOf.has(other) ? `With ${numberOf.get(other)}: ` : 'With one that left the group: '}<strong class="number">${formatScore(score)}</strong>
          </summary>
          <ul>
            ${sumUpReasons(reasons).map(
              ({ topic, weight, notes }) =>
                html`<li key=${topic} class=${weight > 0 ? 'for' : 'against'}>
                  <span class="weight" aria-hidden="true"
                    ><span style=${{ width: `${Math.min(1, Math.abs(weight) / heaviest) * 100}%` }}></span
                  ></span>
                  <span>${[topic, notes.join(', ')].filter(Boolean).join(': ')} <span class="faint">${nameWeight(weight)}</span></span>
                </li>`,
            )}
          </ul>
          ${restraints.map((restraint) => html`<p key=${restraint} class="restraint">${nameRestraint(restraint)}</p>`)}
        </details>`,
    )}
  </div>`;
}
