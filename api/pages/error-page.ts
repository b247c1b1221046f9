import type { FieldError, ServiceError } from '../../shared/kit/errors.ts';
import { html, type Child } from './html.ts';
import type { PageAnswer } from './page-handler.ts';
import { tellFault, tellRefusal } from './refusals.ts';
import { StaleForm, type Visit } from './visit.ts';

/**
 * What was refused, as a page: what happened, and where to go on. 401 leads to the page to sign in, and back;
 * a second factor that a role needs is set up on that of the account.
 */
export function showError(visit: Visit, error: ServiceError): PageAnswer {
  const { words, href, request } = visit;
  if (error.code === 'enrolment_required') return { location: href('account', {}) };
  if (error.status === 401 && request.method === 'GET')
    return { location: href('sign_in', { next: request.originalUrl }) };
  const [title, text] = told(visit, error);
  const again = isStale(error) ? withoutNote(request.originalUrl) : undefined;
  return {
    status: error.status,
    page: {
      title,
      content: html`<div class="narrow">
<h1>${title}</h1>
<p>${text}</p>
${fields(visit, error)}
${merged(visit, error)}
${again && html`<p><a class="button" href="${again}">${words.errors.again}</a></p>`}
<p><a class="button plain" href="${href('home', {})}">${words.errors.home}</a></p>
</div>`,
    },
  };
}

/** An address without the note of what was done before. */
function withoutNote(address: string): string {
  const [path = '', query] = address.split(/\?(.*)/s);
  const rest = new URLSearchParams(query);
  rest.delete('done');
  return rest.size > 0 ? `${path}?${rest.toString()}` : path;
}

/** A form of a session that has ended. */
const isStale = (error: ServiceError): boolean => error instanceof StaleForm || error.status === 401;

function told(visit: Visit, error: ServiceError): [title: string, text: Child] {
  const { errors } = visit.words;
  const { status } = error;
  if (isStale(error)) return [errors.stale, errors.staleText];
  if (status === 404) return [errors.notFound, errors.notFoundText];
  if (status === 403) return [errors.forbidden, tellRefusal(visit, error)];
  if (status === 429) return [errors.tooMany, errors.tooManyText];
  if (status >= 500) return [errors.broken, errors.brokenText];
  return [errors.invalid, tellRefusal(visit, error)];
}

function fields(visit: Visit, { details }: ServiceError): Child {
  const errors = (details?.errors ?? []) as FieldError[];
  if (errors.length === 0) return undefined;
  return html`<ul>${errors.map((fault) => html`<li>${fault.path.split('/').at(-1)}: ${tellFault(visit, fault)}</li>`)}</ul>`;
}

function merged({ words, href }: Visit, { details }: ServiceError): Child {
  const target = details?.merged_into as { slug: string } | undefined;
  return (
    target &&
    html`<p class="note">${words.errors.merged} <a href="${href('listing', { slug: target.slug })}">${words.errors.mergedLink}</a></p>`
  );
}
