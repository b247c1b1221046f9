import type { AttributeDefinition } from '../../shared/profiles/profile.ts';
import type { Listing } from '../listings/present.ts';
import { field, select, firstText, type FormProblem } from './forms.ts';
import { html, type Child, type Markup } from './html.ts';
import type { Visit } from './visit.ts';

type Attributes = NonNullable<Listing['attributes']>;

/** So many attributes of a template are shown at once; the others are behind a line that opens. */
const MAX_OPEN = 8;

/** The field of an attribute, as the problems of the API's body name it. */
const nameOf = ({ key }: AttributeDefinition) => `attributes.${key}`;

function definitionsOf({ services: { catalog }, locale }: Visit, category: string): readonly AttributeDefinition[] {
  const assetType = catalog.assetTypeOf(category);
  return assetType ? catalog.localizedAssetType(assetType, locale).attributes : [];
}

/** The attributes that the template of a category asks for, as fields; the first ones open, the others behind a line. */
export function attributeFields(
  visit: Visit,
  category: string,
  problem: FormProblem | undefined,
  known: Attributes = {},
): Child {
  const definitions = definitionsOf(visit, category);
  const show = (each: AttributeDefinition) => attributeField(visit, each, problem, known[each.key]);
  const first = definitions.slice(0, MAX_OPEN);
  const others = definitions.slice(MAX_OPEN);
  if (first.length === 0) return undefined;
  const isOpen = others.some((each) => problem?.fields.has(nameOf(each)));
  return html`<fieldset class="grid"><legend>${visit.words.listing.facts}</legend>${first.map(show)}</fieldset>
${others.length > 0 && html`<details class="more"${isOpen && html` open`}><summary>${visit.words.my.moreFacts}</summary><div class="grid">${others.map(show)}</div></details>`}`;
}

function attributeField(
  visit: Visit,
  definition: AttributeDefinition,
  problem: FormProblem | undefined,
  known: Attributes[string] | undefined,
): Markup {
  const { words, locale, services } = visit;
  const { type, key, label, unit, required, options = [], example } = definition;
  const name = nameOf(definition);
  const named = unit === undefined ? label : `${label} (${unit})`;
  const value = [known ?? ''].flat().join(', ');
  const choose = (choices: (readonly [string, string])[]) =>
    html`<div>${select(visit, name, named, [['', '–'], ...choices], problem, value, required)}</div>`;
  if (type === 'boolean') return choose(Object.entries(words.yesNo));
  if (type === 'enum')
    return choose(options.map((option) => [option, services.catalog.localizedValue(key, option, locale)]));
  const isNumber = type === 'number';
  return html`<div>${field(visit, name, named, problem, {
    type: isNumber ? 'number' : 'text',
    value,
    required,
    placeholder: example === undefined ? undefined : String(example),
    attributes: isNumber ? ' step="any" inputmode="decimal"' : ' maxlength="200"',
  })}</div>`;
}

/**
 * The attributes as the form of a category has them: what its template asks for comes from the fields, what no template of the
 * listing's former category knows stays. Empty fields are left out; what is no number is left for the API to refuse.
 */
export function readAttributes(visit: Visit, category: string, listing?: Listing): Attributes {
  const asked = definitionsOf(visit, category);
  const replaced = new Set(
    [...asked, ...(listing ? definitionsOf(visit, listing.category.id) : [])].map(({ key }) => key),
  );
  const kept = Object.entries(listing?.attributes ?? {}).filter(([key]) => !replaced.has(key));
  const typed = asked.flatMap((each) => {
    const text = firstText(visit.form[nameOf(each)]).trim();
    return text === '' ? [] : [[each.key, valueOf(each, text)] as const];
  });
  return Object.fromEntries([...kept, ...typed]);
}

function valueOf({ type }: AttributeDefinition, text: string): string | number | boolean {
  if (type === 'boolean') return text === 'true';
  if (type === 'number' && Number.isFinite(Number(text))) return Number(text);
  return text;
}
