import { isExportReady } from '../../shared/leaving/export.ts';
import { readExportToken } from '../../shared/leaving/export-file.ts';
import { field, firstText, problemNote, submit, type FormProblem } from './forms.ts';
import { fill, formatDay } from './format.ts';
import { html, type Child } from './html.ts';
import type { Page } from './layout.ts';
import type { PageAnswer, PageHandler } from './page-handler.ts';
import { formGuard } from './parts.ts';
import { signedOut } from './sign-in.ts';
import { requireCaller, type Visit } from './visit.ts';

const action = (visit: Visit, name: string) =>
  html`${formGuard(visit)}<input type="hidden" name="action" value="${name}">`;

/** A button and not a link: what looks ahead at links fetches nothing. */
const downloadButton = (visit: Visit, token: string): Child =>
  html`<form method="post" action="${visit.href('data_export', { token })}" data-again>${formGuard(visit)}<button>${visit.words.account.dataDownload}</button></form>`;

/** The part of the account page about taking one's data along: asking for the archive, or fetching it. */
export async function dataSection(visit: Visit): Promise<Child> {
  const { words, locale } = visit;
  const { body } = await visit.perform('getExport', {});
  const last = body.export;
  const { dataReady, dataPreparing, dataAsk, dataText } = words.account;
  const ask = html`<form method="post">${action(visit, 'export')}<button class="plain">${dataAsk}</button></form>`;
  return html`<section class="panel" id="data"><h2>${words.account.data}</h2><p class="soft">${dataText}</p>
${
  last?.status === 'preparing'
    ? html`<p role="status">${dataPreparing}</p>`
    : last?.url && last.expires_at !== null
      ? html`<p>${fill(dataReady, { date: formatDay(locale, last.expires_at) })}</p>${downloadButton(visit, tokenOf(last.url))}`
      : ask
}</section>`;
}

const tokenOf = (url: string) => new URL(url).pathname.split('/').at(-1) ?? '';

/** The part of the account page about leaving: what goes, what stays, and the password, or a link by mail in its place. */
export function leaveSection(visit: Visit, problem: FormProblem | undefined): Child {
  const { account } = visit.words;
  return html`<section class="panel" id="leave"><h2>${account.leave}</h2>
${consequences(visit)}
<form method="post" action="#leave">${action(visit, 'leave')}
${field(visit, 'leave_password', account.currentPassword, problem, { type: 'password', required: true, autocomplete: 'current-password' })}
<p><button class="plain">${account.leaveYes}</button></p></form>
<form method="post">${action(visit, 'leave-link')}<p class="soft">${account.leaveByLink}</p><p><button class="plain">${visit.words.signIn.sendLink}</button></p></form></section>`;
}

const consequences = ({ words: { account } }: Visit): Child =>
  html`<p>${account.leaveGoes}</p><p>${account.leaveStays}</p>`;

/** Has a link to sign in mailed to whoever visits, which closes the account just as well. */
export async function mailLeaveLink(visit: Visit): Promise<PageAnswer> {
  const { body } = await visit.perform('getMe', {});
  await visit.perform('requestMagicLink', { body: { email: body.user.email } });
  return { location: visit.href('account', { done: 'leaveLinkMailed' }) };
}

/** The page on which a link by mail closes the account of whoever has signed in. */
export const showLeaveByLink: PageHandler = async (visit) => {
  requireCaller(visit);
  const { token } = visit.query;
  return { page: leaveByLinkPage(visit, typeof token === 'string' ? token : '') };
};

export const leaveByLink: PageHandler = async (visit) => {
  requireCaller(visit);
  const token = firstText(visit.form.token);
  return submit(
    async () => leaveForGood(visit, { token }),
    (problem) => leaveByLinkPage(visit, token, problem),
  );
};

function leaveByLinkPage(visit: Visit, token: string, problem?: FormProblem): Page {
  const { account } = visit.words;
  return {
    title: account.leave,
    content: html`<div class="narrow"><h1>${account.leave}</h1>${problemNote(visit, problem)}${consequences(visit)}
<form method="post">${formGuard(visit)}<input type="hidden" name="token" value="${token}">
<div class="stack"><button>${account.leaveYes}</button><a href="${visit.href('account', {})}">${account.leaveNo}</a></div></form></div>`,
  };
}

/** Asks for the archive of whoever visits. */
export async function askForExport(visit: Visit): Promise<PageAnswer> {
  await visit.perform('requestExport', {});
  return { location: visit.href('account', { done: 'exportAsked' }) };
}

/** Ends the account of whoever visits, by password or by a link, and goes home without a session. */
export async function leaveForGood(visit: Visit, proof: { password: string } | { token: string }): Promise<PageAnswer> {
  await visit.perform('deleteMe', { body: proof });
  return { ...signedOut(visit), location: visit.href('home', { done: 'left' }) };
}

/** The page behind the link of the mail that an archive is ready: a button fetches it, reading the page does not. */
export const showExport: PageHandler = async (visit) => {
  const token = await readExport(visit);
  if (token === undefined) return linkIsUsed(visit);
  return { page: exportPage(visit, html`<p>${visit.words.account.dataOnce}</p>${downloadButton(visit, token)}`) };
};

/** Leads to the archive, as a file to keep. */
export const fetchExport: PageHandler = async (visit) => {
  const token = await readExport(visit);
  return token === undefined ? linkIsUsed(visit) : { location: `${visit.links.path}/api/exports/${token}` };
};

/** The token of the address, where its archive can be fetched. */
async function readExport({ query, services }: Visit): Promise<string | undefined> {
  const token = typeof query.token === 'string' ? query.token : '';
  const id = readExportToken(services.config.jwtSecrets, token);
  return id !== undefined && (await isExportReady(services.db, id, services.clock.now())) ? token : undefined;
}

const exportPage = ({ words }: Visit, content: Child): Page => ({
  title: words.account.data,
  content: html`<div class="narrow"><h1>${words.account.data}</h1>${content}</div>`,
});

const linkIsUsed = (visit: Visit): PageAnswer => ({
  status: 400,
  page: exportPage(visit, html`<p class="note bad" role="alert">${visit.words.signIn.linkUsed}</p>`),
});
