import { ZodError } from 'zod';
import { MailError, type MailMessage } from '../shared/adapters/mail.ts';
import type { JobHandler } from '../shared/job-runner.ts';
import { GiveUp } from '../shared/jobs.ts';
import { writtenLocale } from '../shared/locale.ts';
import type { Locale } from '../shared/profiles/profile.ts';
import { templates } from './emails/templates.ts';
import type { WorkerServices } from './services.ts';

type Payload = { message_id: string; template: string; user_id: string; data: Record<string, unknown> };

/**
 * Sends one message to one user, whose address is looked up now. A message that was sent is never sent again; after a crash
 * between sending and noting it may be, under the same Message-ID, which mail programs drop. What can never be sent goes to
 * the dead letters.
 */
export const sendEmail: JobHandler<WorkerServices, 'send-email'> = async (services, payload, { signal }) => {
  const { db, clock, mailer } = services;
  const template = templates[payload.template];
  if (!template) throw new GiveUp(`there is no template '${payload.template}'`);
  const user = await db
    .selectFrom('users')
    .select(['email', 'email_notifications', 'language', 'disabled_at'])
    .where('id', '=', payload.user_id)
    .executeTakeFirst();
  if (!user) throw new GiveUp(`there is no user ${payload.user_id}`);
  if (user.disabled_at !== null) return { skipped: 'the account is disabled' };
  if (!template.essential && !user.email_notifications) return { skipped: 'the recipient wants no such mail' };
  if (await wasSent(services, payload)) return { skipped: 'it was sent before' };

  const { unsubscribeUrl, ...email } = await render(template, payload, writtenLocale(user.language), services);
  const headers = unsubscribeUrl === undefined ? {} : unsubscribeHeaders(unsubscribeUrl);
  await deliver(mailer, { ...email, headers, to: user.email, messageId: messageIdOf(payload, services) }, signal);
  await db
    .updateTable('sent_emails')
    .set({ sent_at: clock.now() })
    .where('message_id', '=', payload.message_id)
    .execute();
  return { sent: payload.template };
};

/** Opens the row of this message, if it is not there; true when it says that the message has gone out. */
async function wasSent({ db }: WorkerServices, { message_id, template, user_id }: Payload): Promise<boolean> {
  await db
    .insertInto('sent_emails')
    .values({ message_id, template, subject_id: user_id })
    .onConflict((conflict) => conflict.column('message_id').doNothing())
    .execute();
  const row = await db
    .selectFrom('sent_emails')
    .select('sent_at')
    .where('message_id', '=', message_id)
    .executeTakeFirstOrThrow();
  return row.sent_at !== null;
}

async function render(
  { load, render: renderData }: NonNullable<(typeof templates)[string]>,
  { template: name, user_id: userId, data }: Payload,
  locale: Locale,
  services: WorkerServices,
) {
  try {
    const loaded = load ? await load(services, data, userId) : data;
    if (loaded) return renderData(loaded, locale);
  } catch (error) {
    if (!(error instanceof ZodError)) throw error;
    throw new GiveUp(`the data do not fit the template '${name}'`, { cause: error });
  }
  throw new GiveUp('what the message would say is not there any more');
}

/** What lets a mail program end such mail by one click, without opening a page (RFC 8058). */
const unsubscribeHeaders = (url: string) => ({
  'List-Unsubscribe': `<${url}>`,
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
