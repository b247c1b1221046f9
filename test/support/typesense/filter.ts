import { fieldOf, type Collection, type Document } from './collection.ts';
import { tokensOf } from './text.ts';

export type Predicate = (document: Document) => boolean;

/** What a request is refused with. */
export class Refusal extends Error {
  readonly status: number;
  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** Conditions and what joins them. */
const MAX_OPERATIONS = 100;

/** Reads `filter_by`: conditions with && and ||, which bind alike, from left to right, and brackets. */
export function readFilter(text: string, collection: Collection): Predicate {
  const pieces = split(text);
  if (pieces.length === 0) return () => true;
  let at = 0;
  let operations = 0;

  function expression(): Predicate {
    let left = operand();
    while (pieces[at] === '&&' || pieces[at] === '||') {
      const operator = pieces[at];
      at += 1;
      count();
      const [first, second] = [left, operand()];
      left = operator === '&&' ? (each) => first(each) && second(each) : (each) => first(each) || second(each);
    }
    return left;
  }

  function count(): void {
    operations += 1;
    if (operations > MAX_OPERATIONS) throw new Refusal(400, '`filter_by` has too many operations.');
  }

  function operand(): Predicate {
    const piece = pieces[at];
    at += 1;
    if (piece === undefined) throw new Refusal(400, 'Could not parse the filter query.');
    if (piece !== '(') {
      count();
      return readCondition(piece, collection);
    }
    const inner = expression();
    if (pieces[at] !== ')') throw new Refusal(400, 'Could not parse the filter query: unbalanced parentheses.');
    at += 1;
    return inner;
  }

  const predicate = expression();
  if (at < pieces.length) throw new Refusal(400, 'Could not parse the filter query.');
  return predicate;
}

/** Brackets, operators and conditions; a bracket behind a colon belongs to a condition, and so does whatever is quoted. */
function split(text: string): string[] {
  const pieces: string[] = [];
  let current = '';
  let depth = 0;
  let isQuoted = false;
  const flush = () => {
    if (current.trim() !== '') pieces.push(current.trim());
    current = '';
  };
  for (let index = 0; index < text.length; index += 1) {
    const letter = text[index]!;
    if (letter === '`') isQuoted = !isQuoted;
    const isPlain = !isQuoted && depth === 0;
    if (isPlain && (text.startsWith('&&', index) || text.startsWith('||', index))) {
      flush();
      pieces.push(text.slice(index, index + 2));
      index += 1;
    } else if (isPlain && (letter === '(' || letter === ')') && !(letter === '(' && current.includes(':'))) {
      flush();
      pieces.push(letter);
    } else {
      if (!isQuoted && (letter === '(' || letter === '[')) depth += 1;
      if (!isQuoted && (letter === ')' || letter === ']')) depth -= 1;
      current += letter;
    }
  }
  flush();
  return pieces;
}

const CONDITION = /^(?<name>[^:]+?)\s*:\s*(?<operator>!=|>=|<=|=|>|<)?\s*(?<value>[\s\S]*)$/;

function readCondition(text: string, collection: Collection): Predicate {
  const { name = '', operator = '', value = '' } = CONDITION.exec(text)?.groups ?? {};
  const raw = value.trim();
  if (name === 'id') {
    const ids = new Set(valuesOf(raw));
    return ({ id }) => ids.has(id) === (operator !== '!=');
  }
  const field = fieldOf(collection, name);
  if (!field || field.index === false)
    throw new Refusal(400, `Could not find a filter field named \`${name}\` in the schema.`);
  if (raw === '') throw new Refusal(400, `Error with filter field \`${name}\`: Filter value cannot be empty.`);
  if (field.type === 'geopoint') return readCircle(name, raw);
  if (field.type.startsWith('string')) return compareText(name, operator, valuesOf(raw));
  if (field.type === 'bool') return (document) => document[name] === (raw === 'true');
  return compareNumbers(name, operator, raw, field.type === 'float');
}

const valuesOf = (raw: string) =>
  (raw.startsWith('[') && raw.endsWith(']') ? splitList(raw.slice(1, -1)) : [raw]).map((value) =>
    value.trim().replaceAll('`', ''),
  );

const splitList = (text: string) => text.match(/`[^`]*`|[^,`]+/g) ?? [];

function compareText(name: string, operator: string, values: string[]): Predicate {
  const wanted = values.map((value) => tokensOf(value).join(' '));
  const matches =
    operator === ''
      ? (value: Set<string>) => [...value].some((text) => wanted.some((each) => ` ${text} `.includes(` ${each} `)))
      : (value: Set<string>) => wanted.some((each) => value.has(each));
  return (document) => matches(textsOf(document, name)) !== (operator === '!=');
}

/** What is compared of texts: remembered, as each condition looks at every document. */
const remembered = new WeakMap<Document, Map<string, { of: unknown; texts: Set<string> }>>();

function textsOf(document: Document, name: string): Set<string> {
  const fields = remembered.get(document) ?? new Map<string, { of: unknown; texts: Set<string> }>();
  remembered.set(document, fields);
  const value = document[name];
  const known = fields.get(name);
  if (known && known.of === value) return known.texts;
  const all = value === undefined || value === null ? [] : Array.isArray(value) ? value : [value];
  const texts = new Set(all.map((each) => tokensOf(String(each)).join(' ')));
  fields.set(name, { of: value, texts });
  return texts;
}

type Numeric = number | bigint;
const isSame = (a: Numeric, b: Numeric) => !(a < b) && !(a > b);
const comparisons: Record<string, (a: Numeric, b: Numeric) => boolean> = {
  '': isSame,
  '=': isSame,
  '!=': (a, b) => !isSame(a, b),
  '>': (a, b) => a > b,
  '>=': (a, b) => a >= b,
  '<': (a, b) => a < b,
  '<=': (a, b) => a <= b,
};

function compareNumbers(name: string, operator: string, raw: string, isFloat: boolean): Predicate {
  const read = (text: string): Numeric => {
    if (!/^-?\d+(?:\.\d+)?$/.test(text)) throw new Refusal(400, `Error with filter field \`${name}\`: Not a number.`);
    if (isFloat) return Math.fround(Number(text));
    if (text.includes('.')) throw new Refusal(400, `Error with filter field \`${name}\`: Not an int64.`);
    return BigInt(text);
  };
  const tests = valuesOf(raw).map((value) => {
    const [low, high] = value.split('..');
    if (high === undefined) return (each: Numeric) => comparisons[operator]!(each, read(value));
    const bounds = [read(low ?? ''), read(high)] as const;
    return (each: Numeric) => each >= bounds[0] && each <= bounds[1];
  });
  if (operator !== '' && !raw.includes('..')) valuesOf(raw).map(read);
  return (document) => {
    const value = document[name];
    if (value === undefined || value === null) return false;
    const number = isFloat ? Math.fround(Number(value)) : (value as Numeric);
    return tests.some((test) => test(number));
  };
}

function readCircle(name: string, raw: string): Predicate {
  const short = /^\(\s*(?<lat>[^,[]+),\s*(?<lng>[^,]+),\s*(?<radius>[\d.]+)\s*km\s*\)$/;
  const long = /^\(\[(?<lat>[^,]+),\s*(?<lng>[^\]]+)\], radius:\s*(?<radius>[\d.]+)\s*km, exact_filter_radius:[^)]*\)$/;
  const { lat, lng, radius } = (short.exec(raw) ?? long.exec(raw))?.groups ?? {};
  if (lat === undefined) throw new Refusal(400, `Value of filter field \`${name}\`: must be a point and a radius.`);
  const center = [Number(lat), Number(lng)] as const;
  return (document) => {
    const point = document[name] as [number, number] | undefined;
    return point !== undefined && kilometres(center, point) <= Number(radius);
  };
}

/** Along a great circle. */
export function kilometres(a: readonly [number, number], b: readonly [number, number]): number {
  const rad = (degrees: number) => (degrees * Math.PI) / 180;
  const h =
    Math.sin(rad(b[0] - a[0]) / 2) ** 2 +
    Math.cos(rad(a[0])) * Math.cos(rad(b[0])) * Math.sin(rad(b[1] - a[1]) / 2) ** 2;
  return 12_742.0176 * Math.asin(Math.sqrt(Math.min(1, h)));
}
