import { z } from 'zod';
import type { Locale } from '../../shared/profiles/profile.ts';
import { webhookFields } from './webhook-data.ts';
import type { Message, Wording } from './layout.ts';

const fields = webhookFields.extend({ failing_since: z.iso.datetime() });

const wording: Wording<{ url: string; since: string; guide: string }> = {
  en: ({ url, since, guide }) => ({
    subject: 'A webhook of yours was switched off',
    parts: [
      { paragraph: `Every delivery to your webhook has failed since ${since} UTC:` },
      { quote: url },
      {
        paragraph:
          'It was switched off. Once its server answers again, switch it back on; the feed of events holds what was missed.',
      },
      { link: guide, label: 'How to switch it on' },
    ],
  }),
  es: ({ url, since, guide }) => ({
    subject: 'Uno de tus webhooks se ha desactivado',
    parts: [
      { paragraph: `Todas las entregas a tu webhook fallan desde el ${since} UTC:` },
      { quote: url },
      {
        paragraph:
          'Lo hemos desactivado. Cuando su servidor vuelva a responder, actívalo de nuevo; el historial de eventos conserva lo que se haya perdido.',
      },
      { link: guide, label: 'Cómo activarlo' },
    ],
  }),
  fr: ({ url, since, guide }) => ({
    subject: "L'un de vos webhooks a été désactivé",
    parts: [
      { paragraph: `Tous les envois à votre webhook échouent depuis le ${since} UTC :` },
      { quote: url },
      {
        paragraph:
          "Nous l'avons désactivé. Dès que son serveur répondra à nouveau, réactivez-le ; le flux des événements conserve ce qui a été manqué.",
      },
      { link: guide, label: 'Comment le réactiver' },
    ],
  }),
  de: ({ url, since, guide }) => ({
    subject: 'Einer Ihrer Webhooks wurde abgeschaltet',
    parts: [
      { paragraph: `Seit ${since} UTC ist jede Zustellung an Ihren Webhook fehlgeschlagen:` },
      { quote: url },
      {
        paragraph:
          'Er wurde abgeschaltet. Sobald sein Server wieder antwortet, schalten Sie ihn wieder ein; was inzwischen geschah, steht im Verlauf der Ereignisse.',
      },
      { link: guide, label: 'So schalten Sie ihn ein' },
    ],
  }),
  it: ({ url, since, guide }) => ({
    subject: 'Uno dei tuoi webhook è stato disattivato',
    parts: [
      { paragraph: `Tutte le consegne al tuo webhook falliscono dal ${since} UTC:` },
      { quote: url },
      {
        paragraph:
          'Lo abbiamo disattivato. Quando il suo server risponderà di nuovo, riattivalo; il flusso degli eventi conserva ciò che è andato perso.',
      },
      { link: guide, label: 'Come riattivarlo' },
    ],
  }),
  ko: ({ url, since, guide }) => ({
    subject: '웹훅이 비활성화되었습니다',
    parts: [
      { paragraph: `${since} UTC 이후 웹훅으로의 모든 전송이 실패했습니다:` },
      { quote: url },
      {
        paragraph:
          '이 웹훅은 비활성화되었습니다. 서버가 다시 응답하면 다시 활성화해 주세요. 놓친 내용은 이벤트 피드에 남아 있습니다.',
      },
      { link: guide, label: '다시 활성화하는 방법' },
    ],
  }),
  ja: ({ url, since, guide }) => ({
    subject: 'Webhookが無効になりました',
    parts: [
      { paragraph: `${since} UTC以降、次のWebhookへの配信がすべて失敗しています:` },
      { quote: url },
      {
        paragraph:
          'このWebhookは無効になりました。サーバーが再び応答するようになったら、再度有効にしてください。届かなかったイベントはイベントフィードで確認できます。',
      },
      { link: guide, label: '有効にする方法' },
    ],
  }),
};

/** Tells the owner of a webhook that nothing is sent to it any more: `{url, failing_since, guide}`. */
export function renderWebhookDisabled(data: Record<string, unknown>, locale: Locale): Message {
  const { failing_since: since, ...values } = fields.parse(data);
  return wording[locale]({ ...values, since: since.slice(0, 16).replace('T', ' ') });
}
