import { z } from 'zod';
import type { Config } from '../../shared/kit/config.ts';
import { urlTo } from '../../shared/kit/site-links.ts';
import type { Locale } from '../../shared/profiles/profile.ts';
import { cardFields, toCard } from './card.ts';
import { composeEmail, type Email } from './layout.ts';
import type { Template } from './template.ts';

const carded = z.object({ card: cardFields.optional() });

/**
 * A mail from its template and data: in the brand of the service, with a card of what it is about, and the link that stops such
 * mail, for which `unsubscribeToken` stands unless the message has its own. Data that lack what it needs are a ZodError.
 */
export function renderEmail(
  { render }: Pick<Template, 'render'>,
  data: Record<string, unknown>,
  locale: Locale,
  { brand, site }: Pick<Config, 'brand' | 'site'>,
  unsubscribeToken?: string,
): Email & { unsubscribeToken: string | undefined } {
  const message = render(data, locale);
  const { card } = carded.parse(data);
  const token = message.unsubscribeToken ?? unsubscribeToken;
  const email = composeEmail(message, {
    locale,
    brand,
    homeUrl: urlTo(site, 'home', {}),
    card: card && toCard(card, locale),
    unsubscribeUrl: token === undefined ? undefined : urlTo(site, 'unsubscribe', { token }),
  });
  return { ...email, unsubscribeToken: token };
}
