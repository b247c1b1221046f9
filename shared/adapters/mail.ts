import { join } from 'node:path';
import { SpanKind } from '@opentelemetry/api';
import { systemClock, type Clock } from '../kit/clock.ts';
import type { Config } from '../kit/config.ts';
import { deadlinesOf, type Deadlines } from '../kit/deadlines.ts';
import { inSpan, serverOf } from '../kit/tracing.ts';
import { deleteFromOutbox, writeToOutbox } from './outbox.ts';

/** A file within a message, which its HTML shows as `cid:…`. */
export type MailAttachment = { cid: string; filename: string; contentType: string; content: Buffer };

export type MailMessage = {
  /** One bare address, as `replyTo`. */
  to: string;
  subject: string;
  text: string;
  html?: string;
  attachments?: MailAttachment[];
  replyTo?: string;
  /** `<unique@domain>`; the same for every attempt at one message, so that mail programs drop a second copy. */
  messageId: string;
  headers?: Record<string, string>;
};

export type Mailer = {
  /** Resolves when the server (or the outbox) has taken the message; else a MailError, or the signal's reason. */
  send(message: MailMessage, options?: { signal?: AbortSignal }): Promise<void>;
  /** Deletes what the outbox holds for an address; what a server has taken is out of reach. */
  forget(address: string): Promise<void>;
  close(): void;
};

/** A message that was not taken; `retryable` is false when the server, or its own addresses, rule it out for good. */
export class MailError extends Error {
  readonly retryable: boolean;

  constructor(message: string, options: { retryable: boolean; cause?: unknown }) {
    super(message, { cause: options.cause });
    this.name = 'MailError';
    this.retryable = options.retryable;
  }
}

const bareAddress = /^[^\s@<>()[\],;:"\\]+@[^\s@<>()[\],;:"\\]+$/;

/**
 * Sends through SMTP_URL, or without one writes each message to `DATA_DIR/outbox/<date>_<message id>.eml`, where a
 * repeated message replaces its earlier file.
 */
export async function createMailer(
  config: Pick<Config, 'mail' | 'dataDir'>,
  clock: Clock = systemClock,
  { mailConnection, mailAnswer }: Deadlines = deadlinesOf(),
): Promise<Mailer> {
  const { createTransport } = await import('nodemailer');
  const { smtpUrl, from } = config.mail;
  const compose = (message: MailMessage) => ({
    from,
    to: { name: '', address: bare(message.to) },
    replyTo: message.replyTo === undefined ? undefined : { name: '', address: bare(message.replyTo) },
    subject: message.subject,
    text: message.text,
    html: message.html,
    attachments: message.attachments?.map((each) => ({ ...each, contentDisposition: 'inline' as const })),
    messageId: message.messageId,
    headers: message.headers,
    date: clock.now(),
    disableFileAccess: true,
    disableUrlAccess: true,
  });

  if (!smtpUrl) {
    const transport = createTransport({ streamTransport: true, newline: 'windows' });
    const folder = join(config.dataDir, 'outbox');
    return {
      send: (message) =>
        inSpan('send mail', {}, async () => {
          const { message: eml } = await transport.sendMail(compose(message));
          await writeToOutbox(folder, message.messageId, clock.now(), eml);
        }),
      forget: (address) => deleteFromOutbox(folder, address),
      close: () => transport.close(),
    };
  }

  const transport = createTransport({
    url: smtpUrl,
    dnsTimeout: mailConnection,
    connectionTimeout: mailConnection,
    greetingTimeout: mailConnection,
    socketTimeout: mailAnswer,
  });
  return {
    send: (message, { signal } = {}) =>
      inSpan('send mail', { kind: SpanKind.CLIENT, attributes: serverOf(smtpUrl) }, async () => {
        const composed = compose(message);
        await transport.sendMail({ ...composed, signal }).catch((error: unknown) => {
          signal?.throwIfAborted();
          throw toMailError(error);
        });
      }),
    forget: async () => undefined,
    close: () => transport.close(),
  };
}

/** One address and nothing else: a comma or a line break in it would add recipients or headers. */
function bare(address: string): string {
  if (!bareAddress.test(address)) throw new MailError('This is not one bare email address.', { retryable: false });
  return address;
}

function toMailError(error: unknown): MailError {
  const code = property(error, 'code');
  const reply = property(error, 'responseCode');
  // Any other 5xx (greeting, login, quota) speaks of us or of the server, not of this message.
  const isAboutMessage = code === 'EENVELOPE' || code === 'EMESSAGE';
  const isFinal = isAboutMessage && (reply === undefined || Number(reply) >= 500);
  return new MailError(`The mail server did not take the message (${reply ?? code ?? 'unknown error'}).`, {
    retryable: !isFinal,
    cause: error,
  });
}

function property(error: unknown, name: string): string | number | undefined {
  const value: unknown = error instanceof Error ? Object.getOwnPropertyDescriptor(error, name)?.value : undefined;
  return typeof value === 'string' || typeof value === 'number' ? value : undefined;
}
