import { ApiError } from '../api-error.ts';
import { CommandError, UsageError } from './command.ts';

/** Exit codes, which scripts branch on. */
const exitCodes = { failed: 1, usage: 2, forbidden: 3, notFound: 4, unreachable: 5 };

type Failure = { exitCode: number; error: { code: string; message: string; [field: string]: unknown } };

/** What a person or a program is told of a failure; undefined for a fault of the program itself. */
export function describeFailure(error: unknown): Failure | undefined {
  if (error instanceof UsageError)
    return { exitCode: exitCodes.usage, error: { code: 'usage', message: error.message } };
  if (error instanceof CommandError)
    return { exitCode: exitCodes.failed, error: { code: 'failed', message: error.message } };
  if (error instanceof ApiError) return fromApi(error);
  // fetch rejects with a TypeError whose cause is the network's.
  if (error instanceof TypeError && error.cause instanceof Error) {
    const reason = error.cause.message || String((error.cause as NodeJS.ErrnoException).code ?? error.message);
    return {
      exitCode: exitCodes.unreachable,
      error: { code: 'unreachable', message: `The service cannot be reached: ${reason}` },
    };
  }
  return undefined;
}

function fromApi({ status, code, message, details, requestId, retryAfter }: ApiError): Failure {
  const exitCode =
    status === 401 || status === 403 ? exitCodes.forbidden : status === 404 ? exitCodes.notFound : exitCodes.failed;
  return {
    exitCode,
    error: { code, message, status, details, request_id: requestId, retry_after: retryAfter },
  };
}

/** The failure for a terminal: its message, the fields that are wrong, what to do. */
export function renderFailure({ exitCode, error }: Failure): string {
  const { details } = error as { details?: { errors?: { path: string; message: string }[] } };
  const fields = (details?.errors ?? []).map(({ path, message }) => `  ${path} ${message}`);
  const advice = {
    [exitCodes.usage]: ['quayside --help tells more.'],
    [exitCodes.forbidden]: ['quayside login keeps a credential.'],
  }[exitCode];
  return [error.message, ...fields, ...(advice ?? [])].map((line) => `${line}\n`).join('');
}
