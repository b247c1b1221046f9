import { z } from 'zod';
import { urlTo } from '../../shared/kit/site-links.ts';
import type { Locale } from '../../shared/profiles/profile.ts';
import type { WorkerServices } from '../services.ts';
import type { Message, Wording } from './layout.ts';

const reference = z.object({ suspension_id: z.string() });
const fields = z.object({ url: z.url({ protocol: /^https?$/ }) });

const wording: Wording<z.infer<typeof fields>> = {
  en: ({ url: link }) => ({
    subject: 'Your account is restored',
    parts: [
      {
        paragraph:
          'Your account is open again. What had not expired is on show again as it was. API keys and webhooks stay ended: make new ones if you need them.',
      },
      { link, label: 'See your listings' },
    ],
  }),
  es: ({ url: link }) => ({
    subject: 'Tu cuenta vuelve a estar activa',
    parts: [
      {
        paragraph:
          'Tu cuenta vuelve a estar abierta. Lo que no había caducado se muestra de nuevo como estaba. Las claves de API y los webhooks siguen desactivados: crea otros nuevos si los necesitas.',
      },
      { link, label: 'Ver tus anuncios' },
    ],
  }),
  fr: ({ url: link }) => ({
    subject: 'Votre compte est rétabli',
    parts: [
      {
        paragraph:
          "Votre compte est de nouveau ouvert. Ce qui n'avait pas expiré est de nouveau visible tel quel. Les clés d'API et les webhooks restent désactivés : créez-en de nouveaux si vous en avez besoin.",
      },
      { link, label: 'Voir vos annonces' },
    ],
  }),
  de: ({ url: link }) => ({
    subject: 'Ihr Konto ist wieder freigegeben',
    parts: [
      {
        paragraph:
          'Ihr Konto ist wieder offen. Was nicht abgelaufen war, ist wieder zu sehen wie zuvor. API-Schlüssel und Webhooks bleiben beendet: Legen Sie neue an, wenn Sie welche brauchen.',
      },
      { link, label: 'Ihre Anzeigen ansehen' },
    ],
  }),
  it: ({ url: link }) => ({
    subject: 'Il tuo account è di nuovo attivo',
    parts: [
      {
        paragraph:
          'Il tuo account è di nuovo aperto. Ciò che non era scaduto è di nuovo visibile come prima. Le chiavi API e i webhook restano disattivati: creane di nuovi se ti servono.',
      },
      { link, label: 'Vedi i tuoi annunci' },
    ],
  }),
  ko: ({ url: link }) => ({
    subject: '계정이 다시 열렸습니다',
    parts: [
      {
        paragraph:
          '회원님의 계정이 다시 열렸습니다. 만료되지 않은 게시물은 이전과 같이 다시 표시됩니다. API 키와 웹훅은 종료된 상태이므로 필요하면 새로 만들어 주세요.',
      },
      { link, label: '내 매물 보기' },
    ],
  }),
  ja: ({ url: link }) => ({
    subject: 'アカウントの停止が解除されました',
    parts: [
      {
        paragraph:
          'アカウントを再びご利用いただけます。期限が切れていない出品は元どおり表示されています。APIキーとWebhookは無効のままですので、必要な場合は新しく作成してください。',
      },
      { link, label: '出品を見る' },
    ],
  }),
};

/** Where their listings are; null when the account is suspended anew, undefined when there was no suspension `{suspension_id}`. */
export async function loadAccountRestored(
  { db, config }: WorkerServices,
  data: Record<string, unknown>,
): Promise<Record<string, unknown> | undefined | null> {
  const suspension = await db
    .selectFrom('suspensions as s')
    .innerJoin('users as u', 'u.id', 's.user_id')
    .select(['u.disabled_at'])
    .where('s.id', '=', reference.parse(data).suspension_id)
    .executeTakeFirst();
  if (!suspension) return undefined;
  return suspension.disabled_at ? null : { url: urlTo(config.site, 'my_listings', {}) };
}

/** Tells somebody that their account is open again: `{url}`. */
export function renderAccountRestored(data: Record<string, unknown>, locale: Locale): Message {
  return wording[locale](fields.parse(data));
}
