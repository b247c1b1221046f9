import { onceKey, select, submit, textOf } from './forms.ts';
import { html, type Child } from './html.ts';
import type { PageHandler } from './page-handler.ts';
import { formGuard, listingCards, pageLinks } from './parts.ts';
import { readSearchQuery, toAddressQuery, toOperationQuery } from './search-query.ts';
import { requireCaller, type Visit } from './visit.ts';

/** The listings that somebody has put aside. */
export const showFavorites: PageHandler = async (visit) => {
  requireCaller(visit);
  const { words, href, query } = visit;
  const page = typeof query.page === 'string' ? query.page : '1';
  const { body } = await visit.perform('listFavorites', { query: { page, limit: '24' } });
  return {
    page: {
      title: words.nav.favorites,
      content: html`<h1>${words.nav.favorites}</h1>
${body.results.length === 0 ? html`<p class="note">${words.kept.noFavorites}</p>` : listingCards(visit, body.results)}
${pageLinks(visit, body.pagination, (number) => href('favorites', { page: String(number) }))}`,
    },
  };
};

/** The searches that somebody is told about, with how often. */
export const showSavedSearches: PageHandler = async (visit) => {
  requireCaller(visit);
  const { words, href } = visit;
  const { body } = await visit.perform('listSavedSearches', {});
  return {
    page: {
      title: words.nav.savedSearches,
      content: html`<h1>${words.nav.savedSearches}</h1>
${body.results.length === 0 && html`<p class="note">${words.kept.noSearches}</p>`}
<ul class="rows">${body.results.map(
        ({ id, name, query_params: query, notify }) =>
          html`<li class="panel"><h3><a href="${href('search', toAddressQuery(readSearchQuery(query as Record<string, unknown>)))}">${name}</a></h3>
<form method="post">${formGuard(visit)}<input type="hidden" name="id" value="${id}">${intervals(visit, String(notify))}<div class="stack"><button class="plain" name="action" value="notify">${words.my.save}</button><button class="link" name="action" value="delete">${words.my.remove}</button></div></form></li>`,
      )}</ul>`,
    },
  };
};

/** Saves a search, changes how often it is told of, or deletes it. */
export const changeSavedSearches: PageHandler = async (visit) => {
  requireCaller(visit);
  const { form } = visit;
  const params = { id: textOf(form.id) };
  const notify = textOf(form.notify) === 'false' ? false : (textOf(form.notify) as 'daily');
  const list = async () => {
    const answer = await showSavedSearches(visit);
    if (!('page' in answer)) throw new Error('the list of saved searches is a page');
    return answer.page;
  };
  return submit(async () => {
    const action = textOf(form.action);
    if (action === 'delete') await visit.perform('deleteSavedSearch', { params });
    else if (action === 'notify') await visit.perform('updateSavedSearch', { params, body: { notify } });
    else {
      const { page: _, sort: _sort, ...query } = toOperationQuery(readSearchQuery(visit.query));
      const name = textOf(form.name).trim() || textOf(visit.query.q as string) || visit.words.nav.savedSearches;
      await visit.perform('createSavedSearch', {
        body: { name: name.slice(0, 100), query_params: query, notify: 'daily' },
        idempotencyKey: onceKey(visit),
      });
    }
    return { location: visit.href('saved_searches', {}) };
  }, list);
};

function intervals(visit: Visit, chosen: string): Child {
  const { words } = visit;
  return select(visit, 'notify', words.kept.notify, Object.entries(words.intervals), undefined, chosen);
}
