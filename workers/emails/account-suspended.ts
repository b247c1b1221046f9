import { z } from 'zod';
import type { Locale } from '../../shared/profiles/profile.ts';
import type { WorkerServices } from '../services.ts';
import type { Message, Part, Wording } from './layout.ts';
import { statedNotice, statementParts } from './statement-parts.ts';

const reference = z.object({ suspension_id: z.string() });
const fields = z.object({
  reason: z.string(),
  until: z.iso.datetime().nullable(),
  notice: statedNotice.nullish(),
});

type Values = { reason: string; until: string | null };

const partsOf = (told: { what: string; reason: string; lasts: string; appeal: string }): Part[] => [
  { paragraph: told.what },
  { quote: told.reason },
  { paragraph: told.lasts },
  { paragraph: told.appeal },
];

const wording: Wording<Values> = {
  en: ({ reason, until }) => ({
    subject: 'Your account has been suspended',
    parts: partsOf({
      what: 'Your account has been suspended. You were logged out everywhere, your API keys were revoked, your webhooks were paused, and your listings are hidden. The reason:',
      reason,
      lasts: until
        ? `The suspension ends on ${until}. What has not expired by then is on show again.`
        : 'The suspension has no end date. What has not expired is on show again when it is lifted.',
      appeal: 'If you think that this is wrong, answer this mail and say why. A person will look at it.',
    }),
  }),
  es: ({ reason, until }) => ({
    subject: 'Tu cuenta ha sido suspendida',
    parts: partsOf({
      what: 'Tu cuenta ha sido suspendida. Se han cerrado todas tus sesiones, se han revocado tus claves de API, se han pausado tus webhooks y tus anuncios están ocultos. El motivo:',
      reason,
      lasts: until
        ? `La suspensión termina el ${until}. Lo que no haya caducado entonces volverá a mostrarse.`
        : 'La suspensión no tiene fecha de fin. Lo que no haya caducado volverá a mostrarse cuando se levante.',
      appeal: 'Si crees que es un error, responde a este correo y explica por qué. Lo revisará una persona.',
    }),
  }),
  fr: ({ reason, until }) => ({
    subject: 'Votre compte a été suspendu',
    parts: partsOf({
      what: "Votre compte a été suspendu. Toutes vos sessions ont été fermées, vos clés d'API révoquées, vos webhooks suspendus, et vos annonces sont masquées. Le motif :",
      reason,
      lasts: until
        ? `La suspension prend fin le ${until}. Ce qui n'aura pas expiré sera de nouveau visible.`
        : "La suspension n'a pas de date de fin. Ce qui n'aura pas expiré sera de nouveau visible lorsqu'elle sera levée.",
      appeal:
        "Si vous pensez qu'il s'agit d'une erreur, répondez à cet e-mail en expliquant pourquoi. Une personne examinera votre réponse.",
    }),
  }),
  de: ({ reason, until }) => ({
    subject: 'Ihr Konto wurde gesperrt',
    parts: partsOf({
      what: 'Ihr Konto wurde gesperrt. Sie wurden überall abgemeldet, Ihre API-Schlüssel wurden widerrufen, Ihre Webhooks angehalten, und Ihre Anzeigen sind nicht mehr zu sehen. Der Grund:',
      reason,
      lasts: until
        ? `Die Sperre endet am ${until}. Was bis dahin nicht abgelaufen ist, ist dann wieder zu sehen.`
        : 'Die Sperre hat kein Enddatum. Was nicht abgelaufen ist, ist wieder zu sehen, wenn sie aufgehoben wird.',
      appeal:
        'Wenn Sie das für falsch halten, antworten Sie auf diese Mail und schreiben Sie, warum. Ein Mensch sieht es sich an.',
    }),
  }),
  it: ({ reason, until }) => ({
    subject: 'Il tuo account è stato sospeso',
    parts: partsOf({
      what: 'Il tuo account è stato sospeso. Tutte le tue sessioni sono state chiuse, le tue chiavi API revocate, i tuoi webhook sospesi e i tuoi annunci sono nascosti. Il motivo:',
      reason,
      lasts: until
        ? `La sospensione termina il ${until}. Ciò che non sarà scaduto sarà di nuovo visibile.`
        : 'La sospensione non ha una data di fine. Ciò che non sarà scaduto sarà di nuovo visibile quando verrà revocata.',
      appeal: 'Se pensi che sia un errore, rispondi a questa e-mail spiegando perché. La esaminerà una persona.',
    }),
  }),
  ko: ({ reason, until }) => ({
    subject: '계정이 정지되었습니다',
    parts: partsOf({
      what: '회원님의 계정이 정지되었습니다. 모든 기기에서 로그아웃되었고, API 키는 취소되었으며, 웹훅은 일시 중지되고 등록하신 매물은 표시되지 않습니다. 사유:',
      reason,
      lasts: until
        ? `정지는 ${until}에 끝납니다. 그때까지 만료되지 않은 매물은 다시 표시됩니다.`
        : '정지 종료일은 정해지지 않았습니다. 만료되지 않은 매물은 정지가 해제되면 다시 표시됩니다.',
      appeal: '잘못된 조치라고 생각하시면 이 메일에 답장하여 이유를 알려 주세요. 담당자가 직접 검토합니다.',
    }),
  }),
  ja: ({ reason, until }) => ({
    subject: 'アカウントが停止されました',
    parts: partsOf({
      what: 'お客様のアカウントが停止されました。すべての端末からログアウトされ、APIキーは無効になり、Webhookは一時停止され、出品は表示されなくなりました。理由:',
      reason,
      lasts: until
        ? `停止は${until}に終了します。それまでに期限が切れていない出品は再び表示されます。`
        : '停止の終了日は決まっていません。期限が切れていない出品は、停止が解除されると再び表示されます。',
      appeal: '誤りだと思われる場合は、このメールに返信して理由をお知らせください。担当者が確認します。',
    }),
  }),
};

/** The reason and the end of the suspension `{suspension_id}`; null when it has ended, undefined when there is none. */
export async function loadAccountSuspended({ db }: WorkerServices, data: Record<string, unknown>) {
  const { suspension_id: id } = reference.parse(data);
  const suspension = await db
    .selectFrom('suspensions')
    .select(['user_id', 'reason', 'suspended_at', 'until', 'ended_at'])
    .where('id', '=', id)
    .executeTakeFirst();
  if (!suspension) return undefined;
  if (suspension.ended_at) return null;
  const notice = await db
    .selectFrom('notices')
    .selectAll()
    .where('user_id', '=', suspension.user_id)
    .where('restriction', '=', 'account_suspended')
    .where('created_at', '>=', suspension.suspended_at)
    .orderBy('created_at', 'desc')
    .executeTakeFirst();
  return { reason: suspension.reason, until: suspension.until?.toISOString() ?? null, notice };
}

/** Tells somebody that their account is suspended, why, until when, and how to object. */
export function renderAccountSuspended(data: Record<string, unknown>, locale: Locale): Message {
  const { reason, until, notice } = fields.parse(data);
  const day =
    until && new Date(until).toLocaleString(locale, { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' });
  const { subject, parts } = wording[locale]({ reason, until: day === null ? null : `${day} UTC` });
  // What the text says already of the reason and the end is not said again.
  const [, , ...stated] = notice ? statementParts(notice, locale) : [];
  return { subject, parts: [...parts, ...stated] };
}
