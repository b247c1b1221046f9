import { z } from 'zod';
import { urlTo } from '../../shared/kit/site-links.ts';
import type { Locale } from '../../shared/profiles/profile.ts';
import type { WorkerServices } from '../services.ts';
import { loadListingCard } from './card.ts';
import type { Message, Wording } from './layout.ts';

const MAX_EXCERPT_LENGTH = 300;

const reference = z.object({ message_id: z.string() });
const fields = z.object({
  sender: z.string(),
  title: z.string(),
  excerpt: z.string(),
  url: z.url({ protocol: /^https?$/ }),
});

const wording: Wording<z.infer<typeof fields>> = {
  en: ({ sender, title, excerpt, url }) => ({
    subject: `New message about ${title}`,
    parts: [
      { paragraph: `${sender} has written to you about "${title}":` },
      { quote: excerpt },
      { link: url, label: 'Read and answer' },
      { paragraph: 'No further mail about this conversation will come until you have read or answered the message.' },
    ],
  }),
  es: ({ sender, title, excerpt, url }) => ({
    subject: `Nuevo mensaje sobre ${title}`,
    parts: [
      { paragraph: `${sender} te ha escrito sobre «${title}»:` },
      { quote: excerpt },
      { link: url, label: 'Leer y responder' },
      { paragraph: 'No recibirás más correos sobre esta conversación hasta que leas o respondas el mensaje.' },
    ],
  }),
  fr: ({ sender, title, excerpt, url }) => ({
    subject: `Nouveau message à propos de ${title}`,
    parts: [
      { paragraph: `${sender} vous a écrit à propos de « ${title} » :` },
      { quote: excerpt },
      { link: url, label: 'Lire et répondre' },
      {
        paragraph:
          "Vous ne recevrez plus d'e-mail au sujet de cette conversation tant que vous n'aurez pas lu le message ou n'y aurez pas répondu.",
      },
    ],
  }),
  de: ({ sender, title, excerpt, url }) => ({
    subject: `Neue Nachricht zu ${title}`,
    parts: [
      { paragraph: `${sender} hat Ihnen zu „${title}“ geschrieben:` },
      { quote: excerpt },
      { link: url, label: 'Lesen und antworten' },
      {
        paragraph: 'Zu diesem Gespräch kommt keine weitere Mail, bis Sie die Nachricht gelesen oder beantwortet haben.',
      },
    ],
  }),
  it: ({ sender, title, excerpt, url }) => ({
    subject: `Nuovo messaggio su ${title}`,
    parts: [
      { paragraph: `${sender} ti ha scritto a proposito di «${title}»:` },
      { quote: excerpt },
      { link: url, label: 'Leggi e rispondi' },
      {
        paragraph: 'Non riceverai altre e-mail su questa conversazione finché non avrai letto il messaggio o risposto.',
      },
    ],
  }),
  ko: ({ sender, title, excerpt, url }) => ({
    subject: `새 메시지: ${title}`,
    parts: [
      { paragraph: `${sender} 님이 "${title}"에 대해 메시지를 보냈습니다.` },
      { quote: excerpt },
      { link: url, label: '읽고 답장하기' },
      { paragraph: '메시지를 읽거나 답장할 때까지 이 대화에 대한 메일은 더 이상 보내지 않습니다.' },
    ],
  }),
  ja: ({ sender, title, excerpt, url }) => ({
    subject: `新着メッセージ: ${title}`,
    parts: [
      { paragraph: `${sender}さんから「${title}」についてメッセージが届きました。` },
      { quote: excerpt },
      { link: url, label: '読んで返信する' },
      { paragraph: 'メッセージを読むか返信するまで、この会話についてのメールはこれ以上送られません。' },
    ],
  }),
};

/** What the mail about the message `{message_id}` says; undefined without that message. */
export async function loadNewMessage(
  services: Pick<WorkerServices, 'db' | 'config'>,
  data: Record<string, unknown>,
): Promise<Record<string, unknown> | undefined | null> {
  const { message_id: id } = reference.parse(data);
  const row = await services.db
    .selectFrom('messages as m')
    .innerJoin('conversations as c', 'c.id', 'm.conversation_id')
    .innerJoin('users as u', 'u.id', 'm.sender_id')
    .select([
      'm.content',
      'm.conversation_id',
      'm.read_at',
      'm.removed_at',
      'c.listing_id',
      'c.listing_title',
      'u.name',
      'u.disabled_at',
    ])
    .where('m.id', '=', id)
    .executeTakeFirst();
  if (!row) return undefined;
  // What a suspended person wrote last is not carried to others.
  if (row.read_at || row.disabled_at || row.removed_at) return null;
  return {
    sender: row.name.replaceAll(/[\s\p{Cc}]+/gu, ' ').trim(),
    title: row.listing_title,
    excerpt: shorten(row.content),
    card: await loadListingCard(services, row.listing_id),
    url: urlTo(services.config.site, 'conversation', { id: row.conversation_id }),
  };
}

/** Tells somebody that they have been written to, with the beginning of the message: `{sender, title, excerpt, url}`. */
export function renderNewMessage(data: Record<string, unknown>, locale: Locale): Message {
  return wording[locale](fields.parse(data));
}

function shorten(text: string): string {
  const characters = [...text.trim()];
  return characters.length <= MAX_EXCERPT_LENGTH
    ? text.trim()
    : `${characters.slice(0, MAX_EXCERPT_LENGTH).join('').trim()}…`;
}
