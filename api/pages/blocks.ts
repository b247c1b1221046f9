import { firstText } from './forms.ts';
import { html, type Child } from './html.ts';
import { formGuard } from './parts.ts';
import type { Visit } from './visit.ts';

/** Blocking somebody, or ending it, and reporting them; nothing for whoever has not signed in, and on one's own page. */
export async function personActions(visit: Visit, userId: string): Promise<Child> {
  const { words, caller, href } = visit;
  if (!caller || caller.userId === userId) return undefined;
  const { body } = await visit.perform('listBlocks', {});
  const isBlocked = body.results.some((block) => block.user_id === userId);
  return html`<details class="report"><summary>${words.blocks.block} · ${words.reports.ask}</summary>
<p class="soft">${isBlocked ? words.blocks.state : words.blocks.text}</p>
<form method="post">${formGuard(visit)}<input type="hidden" name="action" value="${isBlocked ? 'unblock' : 'block'}"><input type="hidden" name="user" value="${userId}"><button class="plain">${isBlocked ? words.blocks.unblock : words.blocks.block}</button></form>
<p><a class="button plain" href="${href('report', { type: 'user', id: userId })}" rel="nofollow">${words.reports.askPerson}</a></p></details>`;
}

/** Blocks or unblocks whom the form names; what was done, undefined for another form. */
export async function changeBlock(visit: Visit): Promise<'blocked' | 'unblocked' | undefined> {
  const { form } = visit;
  const user = firstText(form.user);
  switch (firstText(form.action)) {
    case 'block':
      await visit.perform('blockUser', { body: { user_id: user } });
      return 'blocked';
    case 'unblock':
      await visit.perform('unblockUser', { params: { userId: user } });
      return 'unblocked';
    default:
      return undefined;
  }
}
