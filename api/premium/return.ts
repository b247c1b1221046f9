import { escapeHtml } from '../../shared/html.ts';
import { renderPage } from '../http/page.ts';
import type { Handler } from '../http/types.ts';

/** The page to which the payment provider sends a buyer back. What was really paid, its webhook tells. */
export const getCheckoutReturn: Handler<'getCheckoutReturn'> = (_services, { query, links }) => {
  const [title, text] = query.paid
    ? ['Thank you for your order', 'As soon as the payment is confirmed, your listing is promoted and you get a mail.']
    : ['The checkout was left', 'Nothing was paid, and nothing has changed.'];
  const listing = escapeHtml(`${links.base}/api/listings/${query.listing}`);
  return {
    status: 200,
    ...renderPage({ title, content: `<p>${text}</p>\n<p><a href="${listing}">See the listing</a></p>` }),
  };
};
