import { checkbox, field, firstText, select, type FormProblem } from './forms.ts';
import { countryCodes } from '../../shared/kit/codes.ts';
import { countryName } from './format.ts';
import { html, type Child } from './html.ts';
import type { PageAnswer } from './page-handler.ts';
import { formGuard } from './parts.ts';
import type { Visit } from './visit.ts';

/** The fields of the form that the operation has by another name. */
export const traderFields = {
  name: 'trader_name',
  address: 'trader_address',
  country: 'trader_country',
  register: 'trader_register',
  register_number: 'trader_register_number',
  email: 'trader_email',
  phone: 'trader_phone',
  certified: 'trader_certified',
} as const;

/** The part of the account page where somebody declares to be a trader, changes what they have declared, or withdraws it. */
export async function traderSection(visit: Visit, problem: FormProblem | undefined): Promise<Child> {
  const { trader: words } = visit.words;
  const { body } = await visit.perform('getMyTrader', {});
  const { trader } = body;
  const action = (name: string) => html`${formGuard(visit)}<input type="hidden" name="action" value="${name}">`;
  const countries = countryCodes
    .map((code) => [code, countryName(visit.locale, code)] as const)
    .toSorted(([, one], [, other]) => one.localeCompare(other, visit.locale));
  const text = (name: Exclude<keyof typeof traderFields, 'certified'>, label: string, options: object = {}) =>
    field(visit, traderFields[name], label, problem, { value: trader?.[name] ?? '', ...options });
  return html`<section class="panel" id="trader"><h2>${words.section}</h2><p class="soft">${words.lead}</p>
<details${(trader ?? problem) && html` open`}><summary>${words.imprint}</summary><form method="post">${action('trader')}
${text('name', words.name, { required: true, autocomplete: 'organization' })}
${text('address', words.address, { required: true, rows: 2, autocomplete: 'street-address' })}
${select(visit, traderFields.country, words.country, [['', ''], ...countries], problem, trader?.country ?? '', true)}
${text('register', words.register)}${text('register_number', words.registerNumber)}
${text('email', words.email, { type: 'email', required: true, autocomplete: 'email' })}
${text('phone', words.phone, { type: 'tel', required: true, autocomplete: 'tel' })}
${checkbox(visit, traderFields.certified, words.certify, problem)}
<p><button>${words.save}</button></p></form></details>
${trader && html`<form method="post">${action('withdraw-trader')}<button class="plain">${words.withdraw}</button></form>`}</section>`;
}

/** Does what a form of that part asks for; undefined for the other forms of the page. */
export async function changeTrader(visit: Visit): Promise<PageAnswer | undefined> {
  const { form, href } = visit;
  const action = firstText(form.action);
  if (action === 'withdraw-trader') await visit.perform('withdrawTrader', {});
  else if (action !== 'trader') return undefined;
  else {
    const { certified: _certified, ...named } = traderFields;
    const entries = Object.entries(named).map(([name, own]) => [name, firstText(form[own]).trim()] as const);
    const filled = entries.filter(([, value]) => value !== '');
    await visit.perform('declareTrader', {
      body: { ...Object.fromEntries(filled), ...(form[traderFields.certified] !== undefined && { certified: true }) },
    });
  }
  return { location: `${href('account', { done: 'saved' })}#trader` };
}
