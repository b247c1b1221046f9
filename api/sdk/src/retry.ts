/** How often and how patiently a request is repeated. */
export type RetryPolicy = {
  /** Tries in all, the first included. */
  maxAttempts: number;
  /** The first pause without a `Retry-After`; it doubles each time. */
  minDelayMs: number;
  /** A pause is never longer: what asks for a longer one is answered as it is. */
  maxDelayMs: number;
};

export const defaultRetry: RetryPolicy = { maxAttempts: 4, minDelayMs: 500, maxDelayMs: 60_000 };

type Fetch = (request: Request) => Promise<Response>;

/** The service is busy, or something before it is. */
const busyStatuses = new Set([429, 502, 503, 504]);

/**
 * Exponential backoff with full jitter, `Retry-After` first: repeats a request that may be sent twice after 429, 502, 503, 504
 * and a lost connection. Throws what the last try threw; an abort ends it at once.
 */
export function repeatRequests(fetch: Fetch, policy: RetryPolicy): Fetch {
  return async (request) => {
    let isAnswerLost = false;
    for (let attempt = 1; ; attempt += 1) {
      const isLast = attempt >= policy.maxAttempts;
      const response = await fetch(isLast ? request : request.clone()).catch((error: unknown) => {
        if (isLast || request.signal.aborted) throw error;
        return undefined;
      });
      // The first try may still be under way: 409 then, until its answer can be repeated.
      const isBusy = !response || busyStatuses.has(response.status) || (isAnswerLost && response.status === 409);
      if (response && (isLast || !isBusy)) return response;
      isAnswerLost ||= !response;
      const delayMs = delayBefore(attempt, response, policy);
      if (response && delayMs > policy.maxDelayMs) return response;
      await response?.body?.cancel();
      await pause(delayMs, request.signal);
    }
  };
}

function delayBefore(attempt: number, response: Response | undefined, { minDelayMs, maxDelayMs }: RetryPolicy): number {
  const asked = response && readRetryAfter(response);
  if (asked !== undefined) return asked * 1_000;
  return Math.min(maxDelayMs, minDelayMs * 2 ** (attempt - 1)) * (0.5 + Math.random() / 2);
}

/** `Retry-After` (RFC 9110) in seconds from now; undefined without one. */
export function readRetryAfter({ headers }: Response): number | undefined {
  const value = headers.get('retry-after');
  if (value === null) return undefined;
  if (/^\d+$/.test(value)) return Number(value);
  const at = Date.parse(value);
  return Number.isNaN(at) ? undefined : Math.max(0, Math.ceil((at - Date.now()) / 1_000));
}

/** Resolves after so many milliseconds; rejects with the signal's reason when it is aborted. */
export function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const abort = (): void => {
      clearTimeout(timer);
      reject(signal?.reason as Error);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', abort);
      resolve();
    }, ms);
    if (signal?.aborted) abort();
    else signal?.addEventListener('abort', abort, { once: true });
  });
}
