import type { z } from 'zod';
import type { Locale } from '../../shared/profiles/profile.ts';
import { webhookFields } from './webhook-data.ts';
import type { Message, Wording } from './layout.ts';

const wording: Wording<z.infer<typeof webhookFields>> = {
  en: ({ url, guide }) => ({
    subject: 'A webhook of yours was switched off',
    parts: [
      { paragraph: 'The server behind your webhook answered that it wants no more deliveries (410 Gone):' },
      { paragraph: url },
      { paragraph: 'It was switched off at once. If that was a mistake, switch it on again.' },
      { link: guide, label: 'How to switch it on' },
    ],
  }),
  es: ({ url, guide }) => ({
    subject: 'Uno de tus webhooks se ha desactivado',
    parts: [
      { paragraph: 'El servidor de tu webhook ha respondido que no quiere recibir más entregas (410 Gone):' },
      { paragraph: url },
      { paragraph: 'Lo hemos desactivado de inmediato. Si ha sido un error, vuelve a activarlo.' },
      { link: guide, label: 'Cómo activarlo' },
    ],
  }),
  fr: ({ url, guide }) => ({
    subject: "L'un de vos webhooks a été désactivé",
    parts: [
      { paragraph: "Le serveur de votre webhook a répondu qu'il ne souhaite plus rien recevoir (410 Gone) :" },
      { paragraph: url },
      { paragraph: "Il a été désactivé aussitôt. S'il s'agit d'une erreur, il suffit de le réactiver." },
      { link: guide, label: 'Comment le réactiver' },
    ],
  }),
  de: ({ url, guide }) => ({
    subject: 'Einer Ihrer Webhooks wurde abgeschaltet',
    parts: [
      { paragraph: 'Der Server Ihres Webhooks hat geantwortet, dass er nichts mehr empfangen möchte (410 Gone):' },
      { paragraph: url },
      { paragraph: 'Der Webhook wurde sofort abgeschaltet. Falls das ein Versehen war, schalten Sie ihn wieder ein.' },
      { link: guide, label: 'So schalten Sie ihn ein' },
    ],
  }),
  it: ({ url, guide }) => ({
    subject: 'Uno dei tuoi webhook è stato disattivato',
    parts: [
      { paragraph: 'Il server del tuo webhook ha risposto che non vuole più ricevere notifiche (410 Gone):' },
      { paragraph: url },
      { paragraph: 'Lo abbiamo disattivato subito. Se si tratta di un errore, puoi riattivarlo.' },
      { link: guide, label: 'Come riattivarlo' },
    ],
  }),
  ko: ({ url, guide }) => ({
    subject: '웹훅이 비활성화되었습니다',
    parts: [
      { paragraph: '웹훅 서버가 더 이상 알림을 받지 않겠다고 응답했습니다(410 Gone):' },
      { paragraph: url },
      { paragraph: '웹훅은 즉시 비활성화되었습니다. 실수였다면 다시 활성화해 주세요.' },
      { link: guide, label: '다시 활성화하는 방법' },
    ],
  }),
  ja: ({ url, guide }) => ({
    subject: 'Webhookが停止されました',
    parts: [
      { paragraph: 'Webhookの送信先サーバーから、今後は受信しないという応答(410 Gone)がありました。' },
      { paragraph: url },
      { paragraph: 'このWebhookは直ちに停止されました。意図しない場合は、もう一度有効にしてください。' },
      { link: guide, label: '有効にする方法' },
    ],
  }),
};

/** Tells the owner of a webhook that its server wants nothing any more, so that it was switched off: `{url, guide}`. */
export function renderWebhookGone(data: Record<string, unknown>, locale: Locale): Message {
  return wording[locale](webhookFields.parse(data));
}
