import { useState } from 'preact/hooks';
import { api } from './api.js';
import { html } from './html.js';
import { useLive } from './live.js';
import { Empty, ErrorNote, Select } from './parts.js';

const MAX_PATTERN_LENGTH = 500;
const MAX_SAMPLE = 40;

/** The expression of a pattern; undefined while it is none. */
function compile(source) {
  if (source === '' || source.length > MAX_PATTERN_LENGTH) return undefined;
  try {
    return new RegExp(source); // built at run time: what the administrator types, in their own browser
  } catch {
    return undefined;
  }
}

/** The pages that were looked at, one at a time: which links are things, which turn the page, where fields are read. */
export function SavedPages({ learning, patterns }) {
  const { pages, proposal } = learning;
  const readable = pages.filter(({ problem }) => problem === null);
  const [position, setPosition] = useState(String(readable[0]?.position ?? 0));
  const roles = new Map(proposal.pages.map(({ url, role }) => [url, role]));
  const path = `/api/admin/learnings/${learning.id}/pages/${position}`;
  const polled = useLive((options) => api.get(path, options), { inputs: [path] });
  const options = readable.map(({ position: at, url }) => [
    String(at),
    `${roles.get(url) ?? 'other'}: ${url.replace(/^https?:\/\/[^/]+/, '').slice(0, 70) || '/'}`,
  ]);
  return html`<div class="row">
      <${Select} label="Page" value=${position} options=${options} onChange=${setPosition} />
    </div>
    ${!polled.data && html`<${ErrorNote} error=${polled.error} retry=${polled.refresh} />`}
    ${polled.data && html`<${Outline} page=${polled.data} patterns=${patterns} fields=${proposal.fields} />`}`;
}

function Outline({ page, patterns, fields }) {
  const [link, pagination] = [compile(patterns.link), compile(patterns.pagination)];
  const isList = ({ kind, url }) => kind === 'link' && pagination?.test(url);
  const isThing = (block) => block.kind === 'link' && !isList(block) && link?.test(block.url);
  const things = new Set(page.blocks.filter(isThing).map(({ url }) => url)).size;
  const turning = new Set(page.blocks.filter(isList).map(({ url }) => url)).size;
  const samples = new Map(
    fields.flatMap(({ name, samples: all }) =>
      all.filter(({ url }) => url === page.url).map(({ value }) => [value, name]),
    ),
  );
  const nameOf = ({ text }) => text !== '' && samples.get(text);
  if (page.blocks.length === 0) return html`<${Empty}>Nothing is shown on this page.<//>`;
  return html`<p class="faint" role="status">
      ${things} ${things === 1 ? 'link leads' : 'links lead'} to things, ${turning} ${turning === 1 ? 'turns' : 'turn'} the page.
    </p>
    <ol class="outline" tabindex="0" aria-label="The saved page">
      ${page.blocks.map(
        (block, index) =>
          html`<li key=${index} class="outline-${isThing(block) ? 'thing' : isList(block) ? 'turn' : block.kind}">
            ${
              block.kind === 'image' && block.url.startsWith('https:')
                ? html`<img src=${block.url} alt=${block.text} loading="lazy" referrerpolicy="no-referrer" />`
                : html`<span>${block.text || block.url?.slice(-MAX_SAMPLE)}</span>`
            }
            ${(isThing(block) || isList(block)) && html`<small>${isThing(block) ? 'thing' : 'page'}</small>`}
            ${nameOf(block) && html`<small>${nameOf(block)}</small>`}
          </li>`,
      )}
    </ol>`;
}
