import type { Performed } from '../http/perform.ts';
import { field, onceKey, problemNote, select, submit, firstText, type FormProblem } from './forms.ts';
import { countryName } from './format.ts';
import { html, type Markup } from './html.ts';
import type { Page } from './layout.ts';
import type { PageHandler } from './page-handler.ts';
import { formGuard } from './parts.ts';
import { firstOf, readSearchQuery, toAddressQuery, toOperationQuery, type SearchQuery } from './search-query.ts';
import { requireCaller, type Visit } from './visit.ts';

type SavedSearch = Performed<'listSavedSearches'>['body']['results'][number];

const MAX_NAME = 100;

/** The searches that somebody is told about, with how often. */
export const showSavedSearches: PageHandler = async (visit) => {
  requireCaller(visit);
  return { page: await savedSearchesPage(visit) };
};

/** Saves the search that the address asks for, changes the name of one or how often it is told of, or deletes it. */
export const changeSavedSearches: PageHandler = async (visit) => {
  requireCaller(visit);
  const { form } = visit;
  const params = { id: firstText(form.id) };
  return submit(
    async () => {
      const action = firstText(form.action);
      if (action === 'delete') {
        await visit.perform('deleteSavedSearch', { params });
        return { location: visit.href('saved_searches', { done: 'deleted' }) };
      }
      const notify = firstText(form.notify);
      if (action === 'change') {
        await visit.perform('updateSavedSearch', { params, body: { name: firstText(form.name), notify } });
        return { location: visit.href('saved_searches', { done: 'saved' }) };
      }
      const query = readSearchQuery(visit.query);
      const body = { name: nameOf(visit, query), query_params: toSavedQuery(query) };
      await visit.perform('createSavedSearch', { body, idempotencyKey: onceKey(visit) });
      return { location: visit.href('saved_searches', { done: 'searchSaved' }) };
    },
    async (problem) => savedSearchesPage(visit, problem),
  );
};

async function savedSearchesPage(visit: Visit, problem?: FormProblem): Promise<Page> {
  const { words, href } = visit;
  const { body } = await visit.perform('listSavedSearches', {});
  const changed = firstText(visit.form.id);
  return {
    title: words.nav.savedSearches,
    content: html`<div class="narrow"><h1>${words.nav.savedSearches}</h1>${problemNote(visit, problem)}
${body.results.length === 0 && html`<p class="note">${words.kept.noSearches} <a href="${href('search', {})}">${words.nav.search}</a></p>`}
<ul class="rows">${body.results.map((each) => row(visit, each, each.id === changed ? problem : undefined))}</ul></div>`,
  };
}

function row(visit: Visit, { id, name, query_params: saved, notify }: SavedSearch, problem?: FormProblem): Markup {
  const { words, href } = visit;
  const action = href('saved_searches', {});
  const open = href('search', toAddressQuery(readSavedQuery(saved)));
  return html`<li class="panel"><h2><a href="${open}">${name}</a></h2>
<form method="post" action="${action}">${formGuard(visit)}<input type="hidden" name="id" value="${id}">
<div class="pair"><div>${field(visit, 'name', words.kept.name, problem, { value: name, required: true, attributes: ` maxlength="${MAX_NAME}"` })}</div>
<div>${select(visit, 'notify', words.kept.notify, Object.entries(words.intervals), problem, notify)}</div></div>
<button class="plain" name="action" value="change">${words.my.save}</button></form>
<details><summary>${words.my.delete}</summary><form method="post" action="${action}">${formGuard(visit)}<input type="hidden" name="id" value="${id}"><button class="plain" name="action" value="delete">${words.my.deleteYes}</button></form></details></li>`;
}

/** A search in a few words: what is looked for, where. */
function nameOf({ services, locale, words }: Visit, query: SearchQuery): string {
  const categories = (query.get('category') ?? []).map((id) => services.catalog.localizedName(id, locale));
  const countries = (query.get('country') ?? []).map((code) => countryName(locale, code));
  const parts = [firstOf(query, 'q'), ...categories, firstOf(query, 'city'), ...countries];
  return parts.filter(Boolean).join(', ').slice(0, MAX_NAME) || words.kept.everything;
}

const NUMBERS = new Set(['min_price', 'max_price', 'radius_km']);
const FLAGS = new Set(['shipping', 'include_unpriced']);

/** A search of an address as the API stores it: numbers and flags are typed, and neither page nor order is kept. */
function toSavedQuery(query: SearchQuery): Record<string, unknown> {
  const { page: _page, sort: _sort, ...filters } = toOperationQuery(query);
  return Object.fromEntries(
    Object.entries(filters).map(([name, value]) => {
      if (NUMBERS.has(name) && Number.isFinite(Number(value))) return [name, Number(value)];
      if (FLAGS.has(name)) return [name, value === 'true'];
      return [name, value];
    }),
  );
}

/** A stored search as the address of one has it; both ways of writing attributes are read. */
function readSavedQuery(saved: Record<string, unknown>): SearchQuery {
  const texts = (value: unknown) => (Array.isArray(value) ? value.map(String) : String(value));
  const { attr = {}, ...others } = saved;
  const plain = Object.entries(others).map(([name, value]) => [name, texts(value)] as const);
  const isFlat = ([name]: readonly [string, unknown]) => name.startsWith('attr[');
  const flat = plain.filter(isFlat).map(([name, value]) => [name.slice('attr['.length, -1), value] as const);
  const nested = Object.entries(attr as object).map(([name, value]) => [name, texts(value)] as const);
  return readSearchQuery({
    ...Object.fromEntries(plain.filter((each) => !isFlat(each))),
    attr: Object.fromEntries([...nested, ...flat]),
  });
}
