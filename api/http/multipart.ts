import { callbackify } from 'node:util';
import type { Request, Response } from 'express';
import multer, { MulterError, type StorageEngine } from 'multer';
import type { WriteWatch } from '../../shared/adapters/write-watch.ts';
import { badRequest, invalid, ServiceError, type Reason } from '../../shared/kit/errors.ts';
import { findFault } from '../../shared/kit/json-faults.ts';
import type { Form } from './contract.ts';
import type { Spool, Spooled } from './spool.ts';

/** A file of a form. Its bytes are on disk until the request is answered. */
export type UploadedFile = { field: string; name: string } & Pick<Spooled, 'size' | 'sha256' | 'read' | 'pieces'>;

/** A form as it was sent: `body` holds its texts, and for each file a placeholder, so that it fits the operation's schema. */
export type ReceivedForm = { body: Record<string, unknown>; files: UploadedFile[]; discard(): Promise<void> };

const PLACEHOLDER = '(binary)';
const MAX_TEXT_BYTES = 8_192;
const SPARE_PARTS = 10;

/**
 * Reads the multipart body of an operation into texts and files on disk, within the numbers and sizes that its schema
 * allows. Whatever is wrong with the form is a 400. Whoever gets the form discards it; a form that is refused is gone.
 */
export function createFormReader(form: Form, spool: Spool, writes: WriteWatch) {
  return async (request: Request, response: Response): Promise<ReceivedForm> => {
    const leave = spool.enter();
    const arriving: Promise<Spooled>[] = [];
    const oversized: OversizedFile[] = [];
    const discard = async () => {
      leave();
      for (const { status, value } of (await Promise.allSettled(arriving)) as { status: string; value?: Spooled }[])
        if (status === 'fulfilled' && value) await value.discard();
    };
    try {
      const files = await receive(request, response, form, oversized, (stream) => {
        const spooled = writes.watch('uploads', spool.write(stream));
        arriving.push(spooled);
        return spooled;
      });
      return { body: readBody(request.body as Record<string, unknown>, form, files), files, discard };
    } catch (error) {
      await discard();
      throw toServiceError(error, form, oversized);
    }
  };
}

type Keep = (stream: Express.Multer.File['stream']) => Promise<Spooled>;
/** A file that has more bytes than it may, the how manieth of its field it is. */
type OversizedFile = { field: string; index: number; name: string };

async function receive(
  request: Request,
  response: Response,
  form: Form,
  oversized: OversizedFile[],
  keep: Keep,
): Promise<UploadedFile[]> {
  const store = callbackify(
    async (stream: Express.Multer.File['stream']): Promise<Partial<Express.Multer.File>> =>
      ({ spooled: await keep(stream) }) as Partial<Express.Multer.File>,
  );
  const counts = new Map<string, number>();
  const storage: StorageEngine = {
    _handleFile(_request, { fieldname: field, originalname: name, stream }, callback) {
      const index = counts.get(field) ?? 0;
      counts.set(field, index + 1);
      stream.once('limit', () => oversized.push({ field, index, name }));
      store(stream, callback);
    },
    // Nothing has a name that could be removed: the form is discarded as a whole.
    _removeFile: (_request, _file, callback) => callback(null),
  };
  const parse = multer({
    storage,
    defParamCharset: 'utf8',
    limits: {
      fileSize: form.maxFileBytes,
      files: form.maxFiles,
      fields: form.texts.size + SPARE_PARTS,
      parts: form.maxFiles + form.texts.size + SPARE_PARTS,
      fieldSize: MAX_TEXT_BYTES,
      fieldNameSize: 100,
      headerPairs: 20,
      fieldNestingDepth: 2,
    },
    fileFilter(_request, { fieldname }, callback) {
      if (form.files.has(fieldname)) return callback(null, true);
      callback(unknownFile(fieldname, form));
    },
  }).any();
  await new Promise<void>((resolve, reject) => {
    parse(request, response, (error?: unknown) => (error ? reject(error) : resolve()));
  });
  const parsed = (request.files ?? []) as (Express.Multer.File & { spooled: Spooled })[];
  return parsed.map(({ fieldname, originalname, spooled }) => ({
    field: fieldname,
    name: originalname,
    size: spooled.size,
    sha256: spooled.sha256,
    read: spooled.read,
    pieces: spooled.pieces,
  }));
}

/** The texts of the form with a placeholder for each file. A text where a file belongs is refused, and so is an empty file. */
function readBody(texts: Record<string, unknown>, form: Form, files: readonly UploadedFile[]): Record<string, unknown> {
  const body: Record<string, unknown> = { ...texts };
  const fault = findFault(body, '/body') ?? findReplacement(body);
  if (fault) throw invalid('The body holds a value that cannot be stored.', [fault]);
  for (const [field, { isList }] of form.files) {
    const own = files.filter((file) => file.field === field);
    if (field in body) throw fieldError(field, 'must be a file, not a text');
    if (own.length > 1 && !isList) throw fieldError(field, 'must be one file');
    const empty = own.findIndex(({ size }) => size === 0);
    if (empty !== -1) throw fieldError(isList ? `${field}/${empty}` : field, 'is empty', 'empty_file');
    const placeholders = own.map(() => PLACEHOLDER);
    if (own.length > 0) body[field] = isList ? placeholders : PLACEHOLDER;
  }
  return body;
}

/** Text that was not UTF-8 has become U+FFFD by now. */
function findReplacement(body: Record<string, unknown>) {
  const broken = Object.keys(body).find((name) => typeof body[name] === 'string' && body[name].includes('\ufffd'));
  return broken === undefined ? undefined : { path: `/body/${broken}`, message: 'must be UTF-8' };
}

const fieldError = (field: string, message: string, reason?: Reason) =>
  invalid('The request does not fit this operation.', [{ path: `/body/${field}`, message, ...(reason && { reason }) }]);

function unknownFile(name: string, form: Form): ServiceError {
  return fieldError(
    name.slice(0, 100),
    `is no file of this operation, which takes ${[...form.files.keys()].join(', ')}`,
  );
}

function tooLarge({ files, maxFileBytes }: Form, { field, index, name }: OversizedFile): ServiceError {
  const limit = `${Math.floor(maxFileBytes / 1_048_576)} MB`;
  const path = `/body/${field}${files.get(field)?.isList ? `/${index}` : ''}`;
  const shown = [...name.toWellFormed().replaceAll(/\p{C}/gu, '')].slice(0, 100).join('');
  return invalid(
    `The file '${shown}' is larger than ${limit}.`,
    [{ path, message: `must have at most ${limit} (${maxFileBytes} bytes)`, reason: 'file_too_large' }],
    { limit: maxFileBytes, file: shown },
  );
}

function toServiceError(error: unknown, form: Form, oversized: readonly OversizedFile[]): ServiceError {
  if (error instanceof ServiceError) return error;
  if (!(error instanceof MulterError)) return badRequest('The form could not be read, or did not arrive whole.');
  switch (error.code) {
    case 'LIMIT_FILE_SIZE':
      return tooLarge(form, oversized[0]!);
    case 'LIMIT_FILE_COUNT':
      return invalid(
        form.maxFiles === 1 ? 'This operation takes one file.' : `At most ${form.maxFiles} files at once.`,
        [],
        { reason: 'too_many', limit: form.maxFiles },
      );
    default:
      return badRequest(`The form has something that is not allowed: ${error.message.toLowerCase()}.`);
  }
}
