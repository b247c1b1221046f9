import { z } from 'zod';
import { urlTo } from '../../shared/kit/site-links.ts';
import type { Locale } from '../../shared/profiles/profile.ts';
import type { WorkerServices } from '../services.ts';
import { loadListingCard } from './card.ts';
import type { Message, Wording } from './layout.ts';

const reference = z.object({ contact_request_id: z.uuid() });
const fields = z.object({
  name: z.string(),
  email: z.string(),
  message: z.string(),
  title: z.string(),
  url: z.url({ protocol: /^https?$/ }),
});

/** What the message of `{contact_request_id}` says; undefined once its texts are forgotten. */
export async function loadContactOwner(
  services: Pick<WorkerServices, 'db' | 'config'>,
  data: Record<string, unknown>,
): Promise<Record<string, unknown> | undefined> {
  const { contact_request_id: id } = reference.parse(data);
  const row = await services.db
    .selectFrom('contact_requests')
    .select(['name', 'email', 'message', 'listing_id', 'listing_title', 'listing_slug'])
    .where('id', '=', id)
    .executeTakeFirst();
  if (!row || row.message === null) return undefined;
  const { listing_id: listingId, listing_title: title, listing_slug: slug, ...sender } = row;
  const card = await loadListingCard(services, listingId);
  return { ...sender, title, card, url: urlTo(services.config.site, 'listing', { slug }) };
}

const wording: Wording<Omit<z.infer<typeof fields>, 'name'> & { sender: string }> = {
  en: ({ sender, email, message, title, url }) => ({
    subject: `A message about your listing: ${title}`,
    parts: [
      { paragraph: `${sender} <${email}> has written to you about your listing "${title}":` },
      { quote: message },
      { paragraph: `Answer this mail to write back: your answer, and with it your address, goes to ${email}.` },
      { link: url, label: 'See the listing' },
    ],
  }),
  es: ({ sender, email, message, title, url }) => ({
    subject: `Un mensaje sobre tu anuncio: ${title}`,
    parts: [
      { paragraph: `${sender} <${email}> te ha escrito sobre tu anuncio «${title}»:` },
      { quote: message },
      {
        paragraph: `Para contestar, responde a este correo: tu respuesta, y con ella tu dirección, llegará a ${email}.`,
      },
      { link: url, label: 'Ver el anuncio' },
    ],
  }),
  fr: ({ sender, email, message, title, url }) => ({
    subject: `Un message au sujet de votre annonce : ${title}`,
    parts: [
      { paragraph: `${sender} <${email}> vous a écrit au sujet de votre annonce « ${title} » :` },
      { quote: message },
      {
        paragraph: `Pour lui répondre, répondez à ce message : votre réponse, et avec elle votre adresse, parviendra à ${email}.`,
      },
      { link: url, label: "Voir l'annonce" },
    ],
  }),
  de: ({ sender, email, message, title, url }) => ({
    subject: `Eine Nachricht zu Ihrer Anzeige: ${title}`,
    parts: [
      { paragraph: `${sender} <${email}> hat Ihnen zu Ihrer Anzeige „${title}“ geschrieben:` },
      { quote: message },
      {
        paragraph: `Antworten Sie einfach auf diese Mail: Ihre Antwort, und mit ihr Ihre Adresse, geht an ${email}.`,
      },
      { link: url, label: 'Anzeige ansehen' },
    ],
  }),
  it: ({ sender, email, message, title, url }) => ({
    subject: `Un messaggio sul tuo annuncio: ${title}`,
    parts: [
      { paragraph: `${sender} <${email}> ti ha scritto a proposito del tuo annuncio «${title}»:` },
      { quote: message },
      {
        paragraph: `Per replicare, rispondi a questa email: la tua risposta, e con essa il tuo indirizzo, arriverà a ${email}.`,
      },
      { link: url, label: "Vedi l'annuncio" },
    ],
  }),
  ko: ({ sender, email, message, title, url }) => ({
    subject: `게시물에 대한 문의가 도착했습니다: ${title}`,
    parts: [
      { paragraph: `${sender} <${email}> 님이 게시물 "${title}"에 대해 메시지를 보냈습니다:` },
      { quote: message },
      { paragraph: `이 메일에 답장하시면 답변과 함께 회원님의 이메일 주소가 ${email}(으)로 전달됩니다.` },
      { link: url, label: '게시물 보기' },
    ],
  }),
  ja: ({ sender, email, message, title, url }) => ({
    subject: `出品へのお問い合わせ: ${title}`,
    parts: [
      { paragraph: `${sender} <${email}> さんから「${title}」についてメッセージが届きました。` },
      { quote: message },
      { paragraph: `このメールに返信すると、返信内容とあなたのメールアドレスが${email}に届きます。` },
      { link: url, label: '出品を見る' },
    ],
  }),
};

/** Hands an owner what somebody has written about a listing; the answer goes to the sender. */
export function renderContactOwner(data: Record<string, unknown>, locale: Locale): Message {
  const { name, ...values } = fields.parse(data);
  const sender = name.replaceAll(/[\s\p{Cc}]+/gu, ' ').trim();
  return { ...wording[locale]({ ...values, sender }), replyTo: values.email };
}
