import { ZodError } from 'zod';
import { signUnsubscribe } from '../shared/accounts/unsubscribe-token.ts';
import { MailError, type MailMessage } from '../shared/adapters/mail.ts';
import type { JobHandler } from '../shared/queues/runner.ts';
import { GiveUp } from '../shared/queues/jobs.ts';
import type { Payload as QueuePayload } from '../shared/queues/queues.ts';
import type { Email } from './emails/layout.ts';
import { inlineImages } from './emails/inline-images.ts';
import { findRecipient, type Recipient } from './emails/recipient.ts';
import { renderEmail } from './emails/render-email.ts';
import { templates } from './emails/templates.ts';
import type { WorkerServices } from './services.ts';

type Payload = QueuePayload<'send-email'>;

/**
 * Sends one message to one user or subscriber, whose address is looked up now. A message that was sent is never sent again;
 * after a crash between sending and noting it may be, under the same Message-ID, which mail programs drop. What is not
 * essential can be ended by one click. What can never be sent goes to the dead letters.
 */
export const sendEmail: JobHandler<WorkerServices, 'send-email'> = async (services, payload, { signal }) => {
  const { db, clock, mailer } = services;
  const template = templates[payload.template];
  if (!template) throw new GiveUp(`there is no template '${payload.template}'`);
  const recipient = await findRecipient(db, payload);
  if (recipient.isSuspended && !template.reachesSuspended) return { skipped: 'the account is suspended' };
  if (recipient.wantsNone !== undefined) return { skipped: recipient.wantsNone };
  if (!template.essential && !recipient.wantsNews) return { skipped: 'the recipient wants no such mail' };
  if (await wasSent(services, payload, recipient.id)) return { skipped: 'it was sent before' };

  const rendered = await render(template, payload, recipient, services);
  if (!rendered) return { skipped: 'there is nothing left to tell' };
  const { unsubscribeToken, ...email } = rendered;
  const headers = unsubscribeToken === undefined ? {} : unsubscribeHeaders(unsubscribeToken, services);
  const images = await inlineImages(email.html, services);
  await deliver(
    mailer,
    { ...email, ...images, headers, to: recipient.email, messageId: messageIdOf(payload, services) },
    signal,
  );
  await db
    .updateTable('sent_emails')
    .set({ sent_at: clock.now() })
    .where('message_id', '=', payload.message_id)
    .execute();
  if (payload.leaving_id !== undefined)
    await db.updateTable('account_leavings').set({ email: null }).where('user_id', '=', payload.leaving_id).execute();
  return { sent: payload.template };
};

/** Opens the row of this message, if it is not there; true when it says that the message has gone out. */
async function wasSent(
  { db }: WorkerServices,
  { message_id, template }: Payload,
  recipientId: string,
): Promise<boolean> {
  await db
    .insertInto('sent_emails')
    .values({ message_id, template, subject_id: recipientId })
    .onConflict((conflict) => conflict.column('message_id').doNothing())
    .execute();
  const row = await db
    .selectFrom('sent_emails')
    .select('sent_at')
    .where('message_id', '=', message_id)
    .executeTakeFirstOrThrow();
  return row.sent_at !== null;
}

type Rendered = Email & { unsubscribeToken: string | undefined };

async function render(
  template: NonNullable<(typeof templates)[string]>,
  { template: name, data }: Payload,
  { id, locale, subscription }: Recipient,
  services: WorkerServices,
): Promise<Rendered | undefined> {
  const { config } = services;
  const ending = template.essential ? undefined : signUnsubscribe(config.jwtSecrets, subscription);
  try {
    const loaded = template.load ? await template.load(services, data, id) : data;
    if (loaded === null) return undefined;
    if (loaded) return renderEmail(template, loaded, locale, config, ending);
  } catch (error) {
    if (!(error instanceof ZodError)) throw error;
    throw new GiveUp(`the data do not fit the template '${name}'`, { cause: error });
  }
  throw new GiveUp('what the message would say is not there any more');
}

/** What lets a mail program end such mail by one click, without opening a page (RFC 8058): the API itself, whatever the site is. */
const unsubscribeHeaders = (token: string, { config }: WorkerServices) => ({
  'List-Unsubscribe': `<${config.baseUrl}/api/unsubscribe?token=${token}>`,
  'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
});

async function deliver(mailer: WorkerServices['mailer'], message: MailMessage, signal: AbortSignal): Promise<void> {
  try {
    await mailer.send(message, { signal });
  } catch (error) {
    if (error instanceof MailError && !error.retryable) throw new GiveUp(error.message, { cause: error });
    throw error;
  }
}

/** The same for every try of one message, and unique to it. */
function messageIdOf({ message_id: id }: Payload, { config }: WorkerServices): string {
  return `<${id.replaceAll(/[^\w.-]/g, '-')}@${new URL(config.baseUrl).hostname}>`;
}
