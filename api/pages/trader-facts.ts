import type { Performed } from '../http/perform.ts';
import { countryName, fill, formatDay } from './format.ts';
import { html, type Child } from './html.ts';
import type { Visit } from './visit.ts';

type Trader = NonNullable<Performed<'getUser'>['body']['trader']>;

/** The mark of a seller who trades; nothing for a private one. */
export const traderBadge = ({ words }: Visit, trader: Trader | undefined): Child =>
  trader && html` <span class="trader">${words.trader.badge}</span>`;

/** Who the trader is, as the law wants it told to buyers; nothing for a private seller. */
export function traderFacts({ words, locale }: Visit, trader: Trader | undefined): Child {
  if (!trader) return undefined;
  const { trader: own } = words;
  const facts: [string, Child][] = [
    [own.name, trader.name],
    [own.address, `${trader.address}, ${countryName(locale, trader.country)}`],
    [own.register, trader.register],
    [own.registerNumber, trader.register_number],
    [own.email, html`<a href="mailto:${trader.email}">${trader.email}</a>`],
    [own.phone, html`<a href="tel:${trader.phone.replaceAll(/[^+\d]/g, '')}">${trader.phone}</a>`],
  ];
  return html`<details class="imprint"><summary>${own.imprint}</summary><dl class="facts">
${facts.map(([label, value]) => value && html`<div><dt>${label}</dt><dd dir="auto">${value}</dd></div>`)}</dl>
<p class="soft small">${fill(own.certified, { date: formatDay(locale, trader.certified_at) })}</p></details>`;
}
