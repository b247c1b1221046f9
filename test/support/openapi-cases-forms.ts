import { deflateSync, crc32 } from 'node:zlib';
import fc from 'fast-check';
import { arbitraryOf, flatten, type JsonSchema, type SchemaContext } from './arbitrary.ts';
import { dictionary } from './arbitrary-dictionary.ts';
import type { Changed } from './openapi-cases-changes.ts';
import { encodeForm, type Case, type FormPart, type Parts } from './openapi-cases.ts';

/** An image of one pixel, of another colour for every seed. */
export function pixel(seed: number): Buffer {
  const chunk = (type: string, data: Buffer) => {
    const body = Buffer.concat([Buffer.from(type), data]);
    const ends = [Buffer.alloc(4), Buffer.alloc(4)] as const;
    ends[0].writeUInt32BE(data.length);
    ends[1].writeUInt32BE(crc32(body));
    return Buffer.concat([ends[0], body, ends[1]]);
  };
  const header = Buffer.from([0, 0, 0, 1, 0, 0, 0, 1, 8, 2, 0, 0, 0]);
  const colour = deflateSync(Buffer.from([0, seed & 255, (seed >> 8) & 255, (seed >> 16) & 255]));
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  return Buffer.concat([signature, chunk('IHDR', header), chunk('IDAT', colour), chunk('IEND', Buffer.alloc(0))]);
}

type Field = { name: string; schema: JsonSchema; isFile: boolean; isList: boolean };

function fieldsOf(form: JsonSchema, context: SchemaContext): Field[] {
  return Object.entries(flatten(form, context).properties ?? {}).map(([name, property]) => {
    const schema = flatten(property, context);
    const isList = schema.type === 'array';
    const item = isList ? flatten(schema.items ?? {}, context) : schema;
    return { name, schema, isList, isFile: item.format === 'binary' };
  });
}

/** Forms that the schema allows: real images in the files, up to three in a list, and any allowed texts. */
export function formsOf(form: JsonSchema, context: SchemaContext): fc.Arbitrary<FormPart[]> {
  const required = flatten(form, context).required ?? [];
  const fields = fieldsOf(form, context).map(({ name, schema, isFile, isList }) => {
    const file = fc.nat(0xffffff).map((seed): FormPart => ({ name, bytes: pixel(seed) }));
    const text = () => arbitraryOf(schema, context).map((value): FormPart => ({ name, text: String(value) }));
    const parts = fc.array(isFile ? file : text(), { minLength: 1, maxLength: isList ? 3 : 1 });
    return required.includes(name) ? parts : fc.oneof(parts, fc.constant([]));
  });
  return fc.tuple(...fields).map((parts) => parts.flat());
}

/** Changes a form in one place, or the bytes of it. */
export function formChange(each: Case, parts: Parts, context: SchemaContext, where: number, what: number): Changed {
  const form = parts.form ?? [];
  const fields = fieldsOf(each.form ?? {}, context);
  const file = fields.find(({ isFile }) => isFile)!;
  const own = (part: FormPart): FormPart[] => [...form.filter(({ name }) => name !== file.name), part];
  const bytes = encodeForm(form);
  const [, hostile = ''] = dictionary[where % dictionary.length] ?? [];
  const changes: [label: string, change: Partial<Parts>, refusedBy?: number[]][] = [
    ['no file', { form: form.filter(({ name }) => name !== file.name) }, [400]],
    ['a text for a file', { form: own({ name: file.name, text: 'photo.png' }) }, [400]],
    ['an empty file', { form: own({ name: file.name, bytes: Buffer.alloc(0) }) }, [400]],
    [
      'a file that is no picture',
      { form: own({ name: file.name, bytes: Buffer.from(hostile) }) },
      [400, 403, 404, 409],
    ],
    ['half a picture', { form: own({ name: file.name, bytes: pixel(what).subarray(0, 40) }) }, [400, 403, 404, 409]],
    [
      'eleven files',
      { form: Array.from({ length: 11 }, (_, seed) => ({ name: file.name, bytes: pixel(seed) })) },
      [400],
    ],
    ['a file in an unknown field', { form: [...form, { name: 'x_unknown', bytes: pixel(1) }] }, [400]],
    ['an unknown text', { form: [...form, { name: 'x_unknown', text: 'x' }] }, [400]],
    ['a hostile name', { form: [...form, { name: hostile.slice(0, 5_000), text: 'x' }] }],
    [
      'a hostile file name',
      { form: own({ name: file.name, bytes: pixel(what), fileName: hostile.slice(0, 5_000) || 'x' }) },
    ],
    ['a hostile text', { form: [...form.filter(({ name }) => name !== 'alt'), { name: 'alt', text: hostile }] }],
    ['half a form', { text: bytes.subarray(0, where % bytes.length), headers: typeOf(parts, bytes) }, [400]],
    ['a byte changed', { text: withByte(bytes, where, what), headers: typeOf(parts, bytes) }],
    ['JSON', { form: undefined, body: { [file.name]: 'x' } }, [415]],
  ];
  const [label, change, refusedBy] = changes[what % changes.length]!;
  return { parts: { ...parts, ...change }, label, refusedBy };
}

/** The type of the form goes with its bytes when they are sent as they are. */
function typeOf({ headers }: Parts, bytes: Buffer): Record<string, string> {
  const boundary = bytes.toString('latin1', 2, bytes.indexOf('\r\n'));
  return { 'Content-Type': `multipart/form-data; boundary=${boundary}`, ...headers };
}

function withByte(bytes: Buffer, where: number, what: number): Buffer {
  const changed = Buffer.from(bytes);
  changed[where % bytes.length] = what & 255;
  return changed;
}
