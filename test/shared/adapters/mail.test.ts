import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import PostalMime from 'postal-mime';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createMailer, MailError, type MailMessage } from '../../../shared/adapters/mail.ts';
import { startSmtp, type SmtpServerStub, type Verdict } from '../../support/smtp-server.ts';

const closing: (() => unknown)[] = [];
let dataDir: string;
let now: Date;

beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'quayside-mail-'));
  now = new Date('2025-03-04T05:06:07Z');
});

afterEach(async () => {
  for (const close of closing.splice(0)) await close();
  await rm(dataDir, { recursive: true, force: true });
});

const message: MailMessage = {
  to: 'seller@example.com',
  subject: 'Grüße: your boat – 50 % off',
  text: 'Someone wrote to you.\n\n.\nA line that begins with a dot, and the word größe.',
  html: '<p>Someone wrote to <b>you</b>.</p>',
  replyTo: 'buyer@example.org',
  messageId: '<01ARZ3NDEKTSV4RRFFQ69G5FAV@quayside.example>',
  headers: {
    'List-Unsubscribe': `<https://quayside.example/unsubscribe?token=${'a'.repeat(120)}>`,
    'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
  },
};

async function mailer(smtpUrl?: string) {
  const made = await createMailer(
    { dataDir, mail: { smtpUrl, from: 'Quayside <no-reply@quayside.example>' } },
    { now: () => now },
  );
  closing.push(() => made.close());
  return made;
}

async function smtp(judge?: (step: 'rcpt' | 'data') => Verdict): Promise<SmtpServerStub> {
  const server = await startSmtp(judge);
  closing.push(() => server.close());
  return server;
}

/** The envelope of `message`; the outbox has none. */
const delivery = { from: 'no-reply@quayside.example', to: ['seller@example.com'] };

const outbox = () => readdir(join(dataDir, 'outbox'));

async function received(smtpUrl: string | undefined, server?: SmtpServerStub, sent: MailMessage = message) {
  await (await mailer(smtpUrl)).send(sent);
  const [name = ''] = server ? [] : await outbox();
  const raw = server ? server.deliveries[0]?.raw : await readFile(join(dataDir, 'outbox', name));
  return PostalMime.parse(raw ?? '');
}

const header = (mail: Awaited<ReturnType<typeof received>>, key: string) =>
  mail.headers.filter((one) => one.key === key).map((one) => one.value);

test('what is in the outbox is for its owner alone, also where the folder was open to others before', async () => {
  const folder = join(dataDir, 'outbox');
  await mkdir(folder);
  await chmod(folder, 0o755);
  await (await mailer()).send(message);
  const [name = ''] = await outbox();
  const modes = await Promise.all([folder, join(folder, name)].map(async (path) => (await stat(path)).mode & 0o777));
  expect(modes).toEqual([0o700, 0o600]);
});

test.each(['over SMTP', 'in the outbox'])('an address in any script gets its mail %s', async (way) => {
  const server = way === 'over SMTP' ? await smtp() : undefined;
  const address = 'jürgen.müller@xn--bcher-kva.example';
  const mail = await received(server?.url, server, { ...message, to: address, replyTo: address });
  const shown = ['jürgen.müller@xn--bcher-kva.example', 'jürgen.müller@bücher.example'];
  expect(shown).toContain(mail.to?.[0]?.address);
  expect(shown).toContain(mail.replyTo?.[0]?.address);
  if (server) expect(shown).toContain(server.deliveries[0]?.to[0]);
});

test.each(['over SMTP', 'in the outbox'])('a message arrives whole %s', async (way) => {
  const server = way === 'over SMTP' ? await smtp() : undefined;
  const mail = await received(server?.url, server);
  expect(mail.subject).toBe(message.subject);
  expect(mail.text?.trimEnd()).toBe(message.text);
  expect(mail.html?.trim()).toBe(message.html);
  expect(mail.from).toMatchObject({ name: 'Quayside', address: 'no-reply@quayside.example' });
  expect(mail.to).toMatchObject([{ address: 'seller@example.com' }]);
  expect(mail.replyTo).toMatchObject([{ address: 'buyer@example.org' }]);
  expect(mail.messageId).toBe(message.messageId);
  expect(mail.date).toBe('2025-03-04T05:06:07.000Z');
  expect(header(mail, 'list-unsubscribe')).toEqual([message.headers?.['List-Unsubscribe']]);
  expect(header(mail, 'list-unsubscribe-post')).toEqual(['List-Unsubscribe=One-Click']);
  expect(server?.deliveries ?? [delivery]).toMatchObject([delivery]);
});

test.each(['over SMTP', 'in the outbox'])(
  'line breaks in subject, headers and text add no header and no recipient %s',
  async (way) => {
    const server = way === 'over SMTP' ? await smtp() : undefined;
    const mail = await received(server?.url, server, {
      ...message,
      subject: 'Hello\r\nBcc: victim@example.net\r\n\r\nbody',
      text: '\r\n.\r\nMAIL FROM:<evil@example.net>\r\nRCPT TO:<victim@example.net>\r\nDATA\r\n',
      headers: { 'X-Note': 'one\r\nBcc: victim@example.net', 'X-Bad\r\nBcc': 'victim@example.net' },
    });
    expect(mail.bcc ?? []).toEqual([]);
    expect(header(mail, 'bcc')).toEqual([]);
    expect(mail.subject).toContain('Bcc: victim@example.net');
    expect(server?.deliveries ?? [delivery]).toMatchObject([delivery]);
  },
);

test.each([
  'a@example.com, b@example.com',
  'a@example.com\r\nBcc: b@example.com',
  'Name <a@example.com>',
  'nobody',
  '',
])('refuses %j as recipient or reply address for good', async (address) => {
  const server = await smtp();
  const own = await mailer(server.url);
  await expect(own.send({ ...message, to: address })).rejects.toMatchObject({ name: 'MailError', retryable: false });
  await expect(own.send({ ...message, replyTo: address })).rejects.toMatchObject({
    name: 'MailError',
    retryable: false,
  });
  expect(server.deliveries).toEqual([]);
});

test.each([
  ['rcpt', 550, false],
  ['rcpt', 450, true],
  ['data', 554, false],
  ['data', 451, true],
  ['rcpt', 'drop', true],
] as const)('a reply at %s of %s may be retried: %s', async (step, verdict, retryable) => {
  const server = await smtp((at) => (at === step ? verdict : undefined));
  const error: unknown = await (await mailer(server.url)).send(message).catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(MailError);
  expect(error).toMatchObject({ retryable });
});

test('a connection cut after the data is retried with the same Message-ID', async () => {
  const verdicts: Verdict[] = ['drop'];
  const server = await smtp((step) => (step === 'data' ? verdicts.pop() : undefined));
  const own = await mailer(server.url);
  await expect(own.send(message)).rejects.toMatchObject({ retryable: true });
  await own.send(message);
  const ids = await Promise.all(server.deliveries.map(async ({ raw }) => (await PostalMime.parse(raw)).messageId));
  expect(ids).toEqual([message.messageId, message.messageId]);
});

test('a server that is not there may be retried, an abort ends the wait with its own reason', async () => {
  const gone = await startSmtp();
  await gone.close();
  await expect((await mailer(gone.url)).send(message)).rejects.toMatchObject({ name: 'MailError', retryable: true });

  const controller = new AbortController();
  const silent = createServer((socket) => {
    closing.push(() => socket.destroy());
    controller.abort(new Error('the job was cancelled'));
  });
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
  closing.push(() => silent.close());
  const address = silent.address();
  const port = typeof address === 'object' ? address?.port : 0;
  const sending = (await mailer(`smtp://127.0.0.1:${port}`)).send(message, { signal: controller.signal });
  await expect(sending).rejects.toThrow('the job was cancelled');
});

test('the outbox keeps one file per Message-ID, also when it is sent again later, and never a part of one', async () => {
  const own = await mailer();
  await own.send(message);
  expect(await outbox()).toHaveLength(1);
  now = new Date('2025-03-05T00:00:00Z');
  await own.send({ ...message, subject: 'Again' });
  const names = await outbox();
  expect(names).toHaveLength(1);
  expect(names[0]).toMatch(/^2025-03-04T05-06-07_01ARZ3NDEKTSV4RRFFQ69G5FAV@quayside\.example_[0-9a-f]{12}\.eml$/);
  expect((await PostalMime.parse(await readFile(join(dataDir, 'outbox', names[0] ?? '')))).subject).toBe('Again');
  await own.send({ ...message, messageId: '<../../evil/../x@quayside.example>' });
  expect(await outbox()).toHaveLength(2);
  expect(await readdir(dataDir)).toEqual(['outbox']);
});
