/**
 * `unavailable`: no answer now, a later try may have one. `refused`: the provider does not accept what it is asked with (its
 * key, its model). `unusable`: it answers, and the answer cannot be used; the reasons say why.
 */
export type AiFailure = 'unavailable' | 'refused' | 'unusable';

/** The one error of an AI provider. Its message is ours and holds nothing of what the provider wrote, which may quote the key. */
export class AiError extends Error {
  readonly failure: AiFailure;
  readonly retryable: boolean;
  /** What is wrong with an unusable answer. */
  readonly reasons: readonly string[];

  constructor(failure: AiFailure, message: string, reasons: readonly string[] = []) {
    super(message);
    this.name = 'AiError';
    this.failure = failure;
    this.retryable = failure === 'unavailable';
    this.reasons = reasons;
  }
}
