import type { DomElement } from '../../shared/kit/html/dom.ts';
import type { Page } from '../extract/page.ts';

/** The body of a page; of a fragment, what stands at its top. */
export function bodyOf({ elements }: Page): DomElement[] {
  const body = elements.find(({ name }) => name === 'body');
  return body ? [body] : elements.filter(({ parent }) => parent === elements[0]?.parent);
}
