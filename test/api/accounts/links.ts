import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import PostalMime from 'postal-mime';
import type { Purpose } from '../../../shared/accounts/account-tokens.ts';
import { newId } from '../../../shared/kit/ids.ts';
import type { TestApp } from '../../support/app.ts';
import type { TestWorkers } from '../../support/workers.ts';

export const password = 'correct horse battery';

/** An address that nobody else has. */
export const freshAddress = () => `${newId('user').toLowerCase()}@example.com`;

/** Works what is asked for, and answers the mails that went out since the last call. */
export function createMailbox(app: TestApp, workers: TestWorkers) {
  const folder = join(app.dataDir, 'outbox');
  const seen = new Set<string>();
  return async () => {
    await workers.work('mail-account-link');
    await workers.work('send-email');
    const names = listNames(folder).filter((name) => !seen.has(name));
    for (const name of names) seen.add(name);
    return Promise.all(names.map(async (name) => PostalMime.parse(readFileSync(join(folder, name)))));
  };
}

export type Mail = Awaited<ReturnType<ReturnType<typeof createMailbox>>>[number];

const purposes: Record<string, Purpose> = { link: 'magic_link', reset: 'password_reset', verify: 'verify_email' };

/** The token of the link in a mail, and what the link is for. */
export function readLink(mail: Mail | undefined): { token: string; purpose: string | null; url: string } {
  const [url = '', page = '', token = ''] = /https?:\/\/\S+\/sign-in\/(\w+)\?token=(\S+)/.exec(mail?.text ?? '') ?? [];
  return { token, purpose: purposes[page] ?? null, url };
}

/** The token of the mail, among these, that is for that purpose. */
export function findToken(mails: readonly Mail[], purpose: Purpose): string {
  return mails.map(readLink).find((link) => link.purpose === purpose)?.token ?? '';
}

/** Asks for a link and reads the token of the mail. */
export async function askForToken(
  app: TestApp,
  mailbox: ReturnType<typeof createMailbox>,
  purpose: Exclude<Purpose, 'verify_email'>,
  email: string,
): Promise<string> {
  await app.as().post(`/api/auth/${purpose.replace('_', '-')}`, { email });
  return findToken(await mailbox(), purpose);
}

function listNames(folder: string): string[] {
  try {
    return readdirSync(folder).toSorted();
  } catch {
    return [];
  }
}
