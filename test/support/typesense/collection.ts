export type FieldSchema = {
  name: string;
  type: string;
  facet?: boolean;
  optional?: boolean;
  sort?: boolean;
  index?: boolean;
};
export type Document = Record<string, unknown> & { id: string };
export type Collection = {
  name: string;
  createdAt: number;
  fields: FieldSchema[];
  defaultSortingField: string;
  nested: boolean;
  /** In the order of their first insertion. */
  documents: Map<string, Document>;
};
export type Fault = { status: number; message: string };

/** The collection as the server describes it. */
export function describe(collection: Collection): object {
  return {
    created_at: collection.createdAt,
    curation_sets: [],
    default_sorting_field: collection.defaultSortingField,
    enable_nested_fields: collection.nested,
    fields: [...collection.fields, ...foundFields(collection)].map((field) => ({
      facet: false,
      index: true,
      infix: false,
      locale: '',
      optional: field.name.includes('*'),
      sort: /^(?:int|float|bool|geopoint)/.test(field.type),
      stem: false,
      stem_dictionary: '',
      store: true,
      ...field,
    })),
    name: collection.name,
    num_documents: collection.documents.size,
    symbols_to_index: [],
    synonym_sets: [],
    token_separators: [],
  };
}

/** Fields that documents have brought, as a pattern says they are. */
function foundFields({ fields, documents }: Collection): FieldSchema[] {
  const names = new Set([...documents.values()].flatMap((document) => Object.keys(document)));
  return fields
    .filter(({ name }) => name.endsWith('*'))
    .flatMap((field) =>
      [...names].filter((name) => name.startsWith(field.name.slice(0, -1))).map((name) => ({ ...field, name })),
    );
}

/** The field of that name, or whose pattern fits it. */
export function fieldOf(collection: Collection, name: string): FieldSchema | undefined {
  return collection.fields.find(
    (field) => field.name === name || (field.name.endsWith('*') && name.startsWith(field.name.slice(0, -1))),
  );
}

const isText = (value: unknown) => typeof value === 'string';
const isWhole = (value: unknown) => typeof value === 'bigint' || Number.isInteger(value);
const checks: Record<
  string,
  { fits: (value: unknown) => boolean; called: string; coerce?: (value: unknown) => unknown }
> = {
  string: {
    fits: isText,
    called: 'a string',
    coerce: (value) => (typeof value === 'number' || typeof value === 'boolean' ? String(value) : undefined),
  },
  'string[]': { fits: (value) => Array.isArray(value) && value.every(isText), called: 'an array of string' },
  int32: { fits: (value) => isWhole(value) && Math.abs(Number(value)) < 2 ** 31, called: 'an int32', coerce: wholeOf },
  int64: { fits: isWhole, called: 'an int64', coerce: wholeOf },
  float: {
    fits: (value) => typeof value === 'number' || typeof value === 'bigint',
    called: 'a float',
    coerce: numberOf,
  },
  bool: { fits: (value) => typeof value === 'boolean', called: 'a bool' },
  geopoint: {
    fits: (value) => Array.isArray(value) && value.length === 2 && value.every((each) => typeof each === 'number'),
    called: 'a 2 element array: [lat, lng].',
  },
};

function numberOf(value: unknown): unknown {
  return typeof value === 'string' && value.trim() !== '' && Number.isFinite(Number(value)) ? Number(value) : undefined;
}
function wholeOf(value: unknown): unknown {
  const number = numberOf(value);
  return Number.isInteger(number) ? number : undefined;
}

/** The document with what can be coerced, or why it is refused. */
export function accept(collection: Collection, given: unknown, mayCoerce: boolean): Document | Fault {
  if (typeof given !== 'object' || given === null || Array.isArray(given))
    return { status: 400, message: 'Bad JSON: not a properly formed document.' };
  const document = { ...given } as Document;
  if (typeof document.id !== 'string') return { status: 400, message: "Document's `id` field should be a string." };
  if (document.id === '') return { status: 400, message: 'The `id` should not be empty.' };
  const sorting = collection.defaultSortingField;
  if (sorting !== '' && document[sorting] === undefined) {
    const message = `Field \`${sorting}\` has been declared as a default sorting field, but is not found in the document.`;
    return { status: 400, message };
  }
  for (const field of collection.fields) {
    const names = field.name.endsWith('*')
      ? Object.keys(document).filter((name) => name.startsWith(field.name.slice(0, -1)))
      : [field.name];
    for (const name of names) {
      const fault = acceptField(document, name, field, mayCoerce);
      if (fault) return fault;
    }
  }
  return document;
}

function acceptField(document: Document, name: string, field: FieldSchema, mayCoerce: boolean): Fault | undefined {
  const value = document[name];
  if (value === undefined || value === null) {
    if (field.optional) return undefined;
    const message = `Field \`${name}\` has been declared in the schema, but is not found in the document.`;
    return { status: 400, message };
  }
  const check = checks[field.type];
  if (!check || check.fits(value)) return undefined;
  const coerced = mayCoerce ? check.coerce?.(value) : undefined;
  if (coerced !== undefined && check.fits(coerced)) {
    document[name] = coerced;
    return undefined;
  }
  return { status: 400, message: `Field \`${name}\` must be ${check.called}.` };
}
