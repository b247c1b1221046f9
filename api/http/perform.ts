import type { operations } from '../openapi.gen.ts';
import { ServiceError } from '../../shared/kit/errors.ts';
import type { KeyScope } from '../../shared/accounts/key-scopes.ts';
import type { Locale } from '../../shared/profiles/profile.ts';
import type { Handler } from '../handler.ts';
import type { Effects } from '../effects.ts';
import type { Services } from '../services.ts';
import { authorize, type Caller } from './authenticate.ts';
import { runOperation } from './act.ts';
import type { Operation, OperationId } from './contract.ts';
import { chargeRequests } from './enforce-rate-limit.ts';
import type { Links } from './links.ts';
import { keyedBodyOf } from './idempotency.ts';
import { POSITION_HEADER } from './read-database.ts';
import type { AnyAnswer } from './send.ts';
import type { Body, Files, Request, Result } from './types.ts';

/** Who acts, and the request that an operation is performed as a part of. */
export type Actor = {
  caller: Caller | undefined;
  network: string;
  locale: Locale;
  links: Links;
  requestId: string;
  userAgent: string;
  /** What a standby has to have replayed to be read from for them, as pg_lsn. */
  position?: string | undefined;
  /** The scope that a key needs here for operations that over HTTP are for sessions alone; without it keys are refused those. */
  keyScope?: KeyScope | undefined;
};

/** Performs an operation of the contract for one caller. */
export type PerformAs = <Op extends OperationId>(id: Op, input?: OperationInput<Op>) => Promise<Performed<Op>>;

/** The input of an operation as a client would send it: texts are coerced, and everything is validated. */
export type OperationInput<Op extends OperationId> = {
  params?: Record<string, string>;
  query?: Record<string, unknown>;
  body?: Body<Op> | Record<string, unknown>;
  files?: Files<Op>;
  /** A repetition with the same key is given the first answer, and does nothing. */
  idempotencyKey?: string | undefined;
};

/** What an operation has answered, as JSON. */
export type Performed<Op extends OperationId> = {
  [Status in keyof operations[Op]['responses'] & (200 | 201 | 202)]: {
    status: Status;
    body: Exclude<Result<Op, Status>, string>;
    headers: Record<string, string>;
    cacheSubject: string | undefined;
    effects: Effects | undefined;
  };
}[keyof operations[Op]['responses'] & (200 | 201 | 202)];

/**
 * Performs operations of the contract within another request: as over HTTP, the caller is held against the operation, other
 * budgets than that of reads are charged, the input is validated, and effects are applied. What refuses throws a ServiceError,
 * or the error that renders as one.
 */
export function createPerformer(services: Services, handlers: Record<string, Handler<never> | undefined>) {
  const known = new Map(services.contract.operations.map((operation) => [operation.id, operation]));

  return async function perform<Op extends OperationId>(
    actor: Actor,
    id: Op,
    input: OperationInput<Op> = {},
  ): Promise<Performed<Op>> {
    const operation = known.get(id);
    const handler = handlers[id] as unknown as Handler<OperationId> | undefined;
    if (!operation || !handler) throw new Error(`there is no operation ${id}`);
    const { caller, network } = actor;
    authorize(operation, caller, actor.keyScope);
    if (operation.rateClass !== 'read') await chargeRequests(services, operation.rateClass, caller, network, 1);
    const request = await validInput(services, operation, actor, input);
    const { replayed, answer } = await run(services, operation, handler, request, input.idempotencyKey);
    if (answer.effects && !replayed)
      services.applyEffects(answer.effects, {
        caller,
        network,
        userAgent: actor.userAgent,
        isHead: false,
        isCacheHit: false,
      });
    const { status, body, headers = {}, cacheSubject, effects } = answer;
    return { status, body, headers, cacheSubject, effects } as Performed<Op>;
  };
}

export type Perform = ReturnType<typeof createPerformer>;

async function validInput<Op extends OperationId>(
  services: Services,
  operation: Operation,
  { caller, network, locale, links, requestId, userAgent, position }: Actor,
  { params = {}, query = {}, body, files = [] as unknown as Files<Op> }: OperationInput<Op>,
): Promise<Request<OperationId>> {
  const type = operation.form ? 'multipart/form-data' : 'application/json';
  const headers = body === undefined ? {} : { 'content-type': type };
  const check = async () => services.validate(operation, { originalUrl: '', headers, query, params, body });
  const valid = await check().catch(async (error: unknown) => {
    const assertOwner = operation.owned === undefined ? undefined : services.assertOwner[operation.owned];
    if (assertOwner && caller) await assertOwner(services.db, String(params.id), caller.userId);
    throw error;
  });
  return {
    params: valid.params as never,
    query: valid.query as never,
    headers: { [POSITION_HEADER]: position } as never,
    body: valid.body as never,
    files: files as never,
    caller,
    ip: network,
    locale,
    links,
    requestId,
    userAgent,
    wantsMarkdown: false,
    wantsPage: false,
    wantsCsv: false,
    unknownQuery: [],
  };
}

async function run(
  services: Services,
  operation: Operation,
  handler: Handler<OperationId>,
  request: Request<OperationId>,
  key: string | undefined,
): Promise<{ answer: AnyAnswer; replayed: boolean }> {
  const { caller, params } = request;
  const path = operation.path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    String((params as Record<string, unknown>)[name]),
  );
  const keyed =
    key !== undefined && caller && operation.idempotent
      ? { caller: caller.bucket, key, operation: `${operation.id} ${path}`, body: keyedBodyOf(operation, request) }
      : undefined;
  const { replayed, answer, reply } = await runOperation(services, operation, handler, request, keyed);
  if (!replayed) return { answer, replayed };
  const { status, headers, body } = reply;
  return { answer: { status, headers, body: JSON.parse(String(body)) as unknown }, replayed };
}

/** Whether an error is one that a page can show to the person it refuses. */
export const isRefusedRequest = (error: unknown): error is ServiceError =>
  error instanceof ServiceError && error.status < 500;
