import { z } from 'zod';
import { invalid } from '../../shared/kit/errors.ts';
import { id, limit, listingId, page } from './inputs.ts';
import { answerList, cutText, listOf, pageFields, toPageFields } from './present.ts';
import { defineTool, type Tool } from './tool.ts';

const MAX_PREVIEW = 200;
const text = z.string().min(1).max(5_000);

export const messageTools: Tool[] = [
  defineTool({
    name: 'list_conversations',
    title: 'My conversations',
    description: 'Conversations about listings, the latest first, with what is unread.',
    input: z.object({ listing_id: listingId.optional(), limit, page }),
    output: listOf(
      z.object({
        id: z.string(),
        listing_id: z.string(),
        listing_title: z.string(),
        buyer: z.string(),
        seller: z.string(),
        unread: z.number(),
        last_message: z.string().nullable(),
        last_message_at: z.string(),
      }),
    ),
    scope: 'read',
    effect: 'read',
    async run({ perform }, query) {
      const { body } = await perform('listConversations', { query });
      const results = body.results.map((each) => ({
        id: each.id,
        listing_id: each.listing.id,
        listing_title: each.listing.title,
        buyer: each.buyer.name,
        seller: each.seller.name,
        unread: each.unread_count,
        last_message: each.last_message && cutText(each.last_message.content, MAX_PREVIEW),
        last_message_at: each.last_message_at,
      }));
      const lines = results.map(
        ({ id, listing_title, unread, last_message }) =>
          `- \`${id}\` ${listing_title}, ${unread} unread: ${last_message ?? ''}`,
      );
      return answerList(body.pagination, results, lines.join('\n'), 'There are no conversations.');
    },
  }),
  defineTool({
    name: 'get_conversation',
    title: 'Read a conversation',
    description: 'The messages of a conversation, the newest first. Does not mark them as read.',
    input: z.object({ id, limit, page }),
    output: z.object({
      ...pageFields,
      listing_id: z.string(),
      listing_title: z.string(),
      messages: z.array(z.object({ from: z.string(), content: z.string(), created_at: z.string() })),
    }),
    scope: 'read',
    effect: 'read',
    async run({ perform }, { id, ...query }) {
      const { body } = await perform('getConversation', { params: { id }, query: { ...query, sort: 'newest' } });
      const messages = body.messages.results.map(({ sender_name, content, created_at }) => ({
        from: sender_name,
        content,
        created_at,
      }));
      return {
        data: {
          ...toPageFields(body.messages.pagination),
          listing_id: body.listing.id,
          listing_title: body.listing.title,
          messages,
        },
        text: messages.map(({ from, content, created_at }) => `**${from}** (${created_at}): ${content}`).join('\n\n'),
      };
    },
  }),
  defineTool({
    name: 'send_message',
    title: 'Send a message',
    description: 'Answers in a conversation, or writes to the seller of a listing: name conversation_id or listing_id.',
    input: z.object({ conversation_id: id.optional(), listing_id: listingId.optional(), content: text }),
    output: z.object({ conversation_id: z.string(), message_id: z.string(), warnings: z.array(z.string()) }),
    scope: 'messages',
    effect: 'write',
    confirm: 'This sends the message to another person.',
    async run({ perform }, { conversation_id, listing_id, content }) {
      if ((conversation_id === undefined) === (listing_id === undefined))
        throw invalid('Name either conversation_id or listing_id.');
      const sent =
        conversation_id !== undefined
          ? (await perform('sendMessage', { params: { id: conversation_id }, body: { content } })).body
          : (await perform('startConversation', { body: { listing_id: listing_id ?? '', message: content } })).body;
      const message = 'message' in sent ? sent.message : sent;
      const data = {
        conversation_id: message.conversation_id,
        message_id: message.id,
        warnings: sent.warnings.map((warning) => warning.message),
      };
      return { data, text: [`Sent, conversation \`${data.conversation_id}\`.`, ...data.warnings].join('\n') };
    },
  }),
];
