import type { operations } from '../openapi.gen.ts';
import type { Locale } from '../../shared/profiles/profile.ts';
import type { Effects } from '../effects.ts';
import type { Caller } from './authenticate.ts';
import type { OperationId } from './contract.ts';
import type { Links } from './links.ts';
import type { UploadedFile } from './multipart.ts';

type Present<T> = Exclude<T, undefined>;
type Parameters<Op extends OperationId, Place extends 'query' | 'path' | 'header'> =
  Present<operations[Op]['parameters'][Place]> extends infer P
    ? unknown extends P
      ? Record<string, never>
      : P
    : never;
type Content<T> = T extends { content: infer C } ? C[keyof C] : undefined;
type Success = 200 | 201 | 202 | 503;

/** The validated body of an operation, as openapi.yaml describes it; a form's files are in `files`, not here. */
export type Body<Op extends OperationId> = operations[Op] extends { requestBody?: infer B }
  ? Content<Present<B>>
  : undefined;

/** The files of a form in the order they came: at least one in operations that take a form, none in others. */
export type Files<Op extends OperationId> = operations[Op] extends {
  requestBody: { content: { 'multipart/form-data': unknown } };
}
  ? [UploadedFile, ...UploadedFile[]]
  : [];

/** The body that an operation answers with a status. */
export type Result<Op extends OperationId, Status extends keyof operations[Op]['responses']> = Content<
  operations[Op]['responses'][Status]
>;

/** What a handler is given: everything is validated, coerced and typed by the operation. */
export type Request<Op extends OperationId> = {
  params: Parameters<Op, 'path'>;
  query: Parameters<Op, 'query'>;
  /** The headers that the operation lists, under the names it gives them. */
  headers: Parameters<Op, 'header'>;
  body: Body<Op>;
  files: Files<Op>;
  caller: Caller | undefined;
  /** Address of the client, behind the trusted proxies; IPv6 cut to its /64. */
  ip: string;
  locale: Locale;
  links: Links;
  requestId: string;
  userAgent: string;
  wantsMarkdown: boolean;
  /** Whether a browser asks: a page is preferred to JSON. */
  wantsPage: boolean;
  /** CSV is preferred to JSON. */
  wantsCsv: boolean;
  /** Query parameters that the operation does not have, where those are only worth a warning. */
  unknownQuery: string[];
};

/** As Request, in operations that need a credential. */
export type AuthenticatedRequest<Op extends OperationId> = Request<Op> & { caller: Caller };

/** What a handler answers; only http/ touches the response. */
export type Answer<Op extends OperationId> = {
  [Status in keyof operations[Op]['responses'] & Success]: {
    status: Status;
    body: Result<Op, Status> | Text | Stream;
    headers?: Record<string, string>;
    /** The id of the thing shown, in operations whose answers are cached per thing: a change of it drops the answer. */
    cacheSubject?: string;
    /** What the answer does beside being sent. */
    effects?: Effects | undefined;
    /** What was asked for is changing: the answer is not cached. */
    isFleeting?: boolean;
  };
}[keyof operations[Op]['responses'] & Success];

/** A body that is written piece by piece for as long as the client stays; `close` is called once it has gone. */
export type Stream = { type: string; chunks: () => AsyncIterable<string>; close: () => void };

/** A body that is already bytes on the wire, with its media type. */
export type Text = { text: string | Buffer; type: string };
