import type { FieldError } from '../kit/errors.ts';
import type { AssetTypeDefinition, AttributeDefinition } from '../profiles/profile.ts';

export type AttributeValue = string | number | boolean | string[] | null;
export type Attributes = Record<string, AttributeValue>;

export type CheckedAttributes = {
  /** What can be stored: every accepted value in the template's type, and all keys that the template does not know. */
  attributes: Attributes;
  /** One per refused value or missing required key, with the JSON pointer of its place; refused values are left out above. */
  errors: FieldError[];
  /** One line per key that the template does not know. */
  warnings: string[];
};

const decimal = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)$/;
/** A double keeps every decimal number of so many digits. */
const EXACT_DIGITS = 15;

/**
 * Holds attributes against the category's template. A value changes its type only when nothing is lost (`"12.5"` for a number,
 * `46` for a text, `"true"` for a boolean); null values and empty texts count as absent; options match in any letter case.
 * Without a template everything is kept, and so is what `isKept` names, there or missing.
 */
export function checkAttributes(
  attributes: Readonly<Record<string, AttributeValue | undefined>>,
  assetType: AssetTypeDefinition | undefined,
  isKept: (key: string) => boolean = () => false,
): CheckedAttributes {
  const definitions = new Map((assetType?.attributes ?? []).map((definition) => [definition.key, definition]));
  const accepted = new Map<string, AttributeValue>();
  const errors: FieldError[] = [];
  const warnings: string[] = [];

  for (const [key, value] of Object.entries(attributes)) {
    if (isAbsent(value)) continue;
    const definition = definitions.get(key);
    if (!definition) {
      accepted.set(key, value);
      if (assetType) warnings.push(`'${key}' is not an attribute of ${assetType.id}.`);
      continue;
    }
    const result = coerce(value, definition);
    if ('message' in result && isKept(key)) accepted.set(key, value);
    else if ('message' in result) errors.push({ path: pointerOf(key), ...result });
    else accepted.set(key, result.value);
  }
  for (const { key, required } of definitions.values()) {
    if (required && isAbsent(attributes[key]) && !isKept(key))
      errors.push({ path: pointerOf(key), message: 'This attribute is required.', reason: 'required' });
  }
  return { attributes: Object.fromEntries(accepted), errors, warnings };
}

function isAbsent(value: AttributeValue | undefined): value is null | undefined | '' {
  return value === null || value === undefined || (typeof value === 'string' && value.trim() === '');
}

type Coercion = { value: AttributeValue } | Pick<FieldError, 'message' | 'reason'>;

function coerce(value: AttributeValue, { type, options }: AttributeDefinition): Coercion {
  switch (type) {
    case 'number':
      return toNumber(value);
    case 'boolean':
      return toBoolean(value);
    case 'enum':
      return toOption(value, options ?? []);
    case 'string':
      return toText(value);
  }
}

function toNumber(value: AttributeValue): Coercion {
  if (typeof value === 'number' && Number.isFinite(value)) return { value };
  const text = typeof value === 'string' ? value.trim() : '';
  if (decimal.test(text) && text.length <= EXACT_DIGITS) return { value: Number(text) };
  return { message: 'This attribute must be a number.', reason: 'not_a_number' };
}

function toBoolean(value: AttributeValue): Coercion {
  if (typeof value === 'boolean') return { value };
  const text = typeof value === 'string' ? value.trim().toLowerCase() : undefined;
  if (text === 'true' || text === 'false') return { value: text === 'true' };
  return { message: 'This attribute must be true or false.', reason: 'not_a_choice' };
}

function toOption(value: AttributeValue, options: readonly string[]): Coercion {
  const wanted =
    typeof value === 'string' || typeof value === 'number' ? String(value).trim().toLowerCase() : undefined;
  const option = options.find((each) => each.toLowerCase() === wanted);
  return option === undefined
    ? { message: `This attribute must be one of ${options.join(', ')}.`, reason: 'not_a_choice' }
    : { value: option };
}

function toText(value: AttributeValue): Coercion {
  if (typeof value === 'string') return { value };
  if (typeof value === 'number' || typeof value === 'boolean') return { value: String(value) };
  return { message: 'This attribute must be a text.' };
}

/** The JSON pointer (RFC 6901) of an attribute in a request. */
const pointerOf = (key: string) => `/body/attributes/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`;
