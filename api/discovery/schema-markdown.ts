export type Schema = Record<string, unknown>;

/** A shape as a Markdown section: its description and a table of its fields, or its type where it has none. */
export function renderShape(name: string, schema: Schema, heading = '##'): string {
  const parts = [schema, ...((schema.allOf as Schema[] | undefined) ?? [])];
  const required = new Set(parts.flatMap((part) => (part.required as string[] | undefined) ?? []));
  const fields = parts.flatMap((part) => Object.entries((part.properties as Record<string, Schema> | undefined) ?? {}));
  const intro = [`${heading} ${name}`, '', ...(schema.description ? [cell(plain(schema.description)), ''] : [])];
  const bases = parts.flatMap((part) => (typeof part.$ref === 'string' ? [`Includes ${refName(part.$ref)}.`, ''] : []));
  if (fields.length === 0) return [...intro, ...bases, `Type: ${typeText(schema)}`, ''].join('\n');
  const rows = fields.map(
    ([field, rule]) => `| ${field} | ${typeText(rule)} | ${required.has(field) ? 'yes' : 'no'} | ${ruleText(rule)} |`,
  );
  return [...intro, ...bases, '| Field | Type | Required | Rules |', '|---|---|---|---|', ...rows, ''].join('\n');
}

/** The type of a value in words. */
export function typeText(schema: Schema): string {
  if (typeof schema.$ref === 'string') return refName(schema.$ref);
  if (Array.isArray(schema.enum)) return schema.enum.map(String).join(', ');
  if (schema.const !== undefined) return `always ${JSON.stringify(schema.const)}`;
  if (Array.isArray(schema.oneOf)) return (schema.oneOf as Schema[]).map(typeText).join(' or ');
  if (typeof schema.additionalProperties === 'object' && !schema.properties)
    return `map of ${typeText(schema.additionalProperties as Schema)}`;
  const types = [(schema.type as string | string[] | undefined) ?? 'any']
    .flat()
    .map((type) => (type === 'array' && schema.items ? `array of ${typeText(schema.items as Schema)}` : type))
    .join(' or ');
  return typeof schema.format === 'string' ? `${types} (${schema.format})` : types;
}

const ruleNames: [string, string][] = [
  ['minLength', 'at least N characters'],
  ['maxLength', 'at most N characters'],
  ['minimum', 'N or more'],
  ['maximum', 'N or less'],
  ['maxItems', 'at most N items'],
  ['pattern', 'matches N'],
];

/** Limits and description of a value in one cell of a table. */
export function ruleText(schema: Schema): string {
  const rules = ruleNames.flatMap(([key, text]) =>
    schema[key] === undefined
      ? []
      : [text.replace('N', () => (key === 'pattern' ? `\`${plain(schema[key])}\`` : plain(schema[key])))],
  );
  const readOnly = schema.readOnly === true ? ['read-only'] : [];
  const description = typeof schema.description === 'string' ? [schema.description] : [];
  return cell([...readOnly, ...rules, ...description].join('; '));
}

/** The name of the component that a reference leads to. */
export const refName = (ref: string) => ref.slice(ref.lastIndexOf('/') + 1);
/** One line of a table; links into the interactive documentation lead nowhere from here. */
const cell = (text: string) =>
  text
    .replaceAll(/\[([^[\]]+)\]\(#[^()]*\)/g, '$1')
    .replaceAll('|', '\\|')
    .replaceAll(/\s+/g, ' ')
    .trim();
const plain = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value));
