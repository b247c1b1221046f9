import type { Caller } from '../http/authenticate.ts';
import { bookingTools } from './booking-tools.ts';
import type { ListedTool } from './describe-tool.ts';
import { fleetTools } from './fleet-tools.ts';
import { keepingTools } from './keeping-tools.ts';
import { listingTools } from './listing-tools.ts';
import { marketTools } from './market-tools.ts';
import { messageTools } from './message-tools.ts';
import { moderationTools } from './moderation-tools.ts';
import { searchTools } from './search-tools.ts';
import { isUsable, type Tool } from './tool.ts';

/** Every tool that can be called, in the order of the list. */
export const tools: readonly Tool[] = [
  ...searchTools,
  ...marketTools,
  ...listingTools,
  ...messageTools,
  ...keepingTools,
  ...bookingTools,
  ...moderationTools,
  ...fleetTools,
];

/** The tools that a caller may use: the others would only fill their context. */
export const listTools = (caller: Caller | undefined): ListedTool[] =>
  tools.filter((tool) => isUsable(tool, caller)).map(({ listed }) => listed);

/** What a client tells its model before the first call: of tools that need an account only how to get them, to who has none. */
export function describeUse(caller: Caller | undefined, base: string, offersOAuth: boolean): string {
  const rules = [
    'A marketplace: boats and other things for sale, and boats to rent.',
    'Ids come from the search and list tools. What an answer shows as text is in its structured content too.',
  ];
  if (!caller)
    return [
      ...rules,
      'These tools read. To draft, publish, write to sellers, save searches, keep favorites and book, a person',
      ...(offersOAuth ? [`signs in (connect to ${base}/mcp?auth=required, OAuth), or`] : []),
      `makes an API key (POST ${base}/api/api-keys, signed in) and connects with the header "Authorization: Bearer <key>".`,
    ].join(' ');
  return [
    ...rules,
    'Ask the user before any call with confirm: true; without it nothing is done.',
    'idempotency_key is any unique text: a repetition with the same one is given the first answer and does nothing.',
  ].join(' ');
}
