import { sql } from 'kysely';
import { z } from 'zod';
import type { Locale } from '../../shared/profiles/profile.ts';
import type { WorkerServices } from '../services.ts';
import type { Message, Part, Wording } from './layout.ts';

const jobData = z.object({
  changed_at: z.iso.datetime(),
  url: z.url({ protocol: /^https?$/ }),
  key_ids: z.array(z.string()).default([]),
  webhook_ids: z.array(z.string()).default([]),
  application_ids: z.array(z.string()).default([]),
});

const fields = jobData.omit({ key_ids: true, webhook_ids: true, application_ids: true }).extend({
  keys: z.array(z.object({ label: z.string(), key_prefix: z.string() })),
  webhooks: z.array(z.object({ url: z.string() })),
  applications: z.array(z.object({ name: z.string() })),
});

type Values = { at: string; url: string; keys: string; webhooks: string; applications: string };

/** What has ended, one to a line. Whoever had the account may have named it: it is quoted. */
const ended = (lead: string, lines: string): Part[] => (lines === '' ? [] : [{ paragraph: lead }, { quote: lines }]);

const wording: Wording<Values> = {
  en: ({ at, url, keys, webhooks, applications }) => ({
    subject: 'Your password was changed',
    parts: [
      { paragraph: `The password of your account was changed on ${at}. You were logged out everywhere.` },
      ...ended('These API keys were revoked; programs that use them need new ones:', keys),
      ...ended('These webhooks were paused; switch on again those that you know:', webhooks),
      ...ended('These applications were disconnected; connect again those that you know:', applications),
      { paragraph: 'Was it not you? Then set a new password right away, and look after your mailbox as well.' },
      { link: url, label: 'Set a new password' },
    ],
  }),
  es: ({ at, url, keys, webhooks, applications }) => ({
    subject: 'Tu contraseña ha cambiado',
    parts: [
      { paragraph: `La contraseña de tu cuenta se cambió el ${at}. Se han cerrado todas tus sesiones.` },
      ...ended('Se han revocado estas claves de API; los programas que las usan necesitan otras nuevas:', keys),
      ...ended('Se han pausado estos webhooks; vuelve a activar los que reconozcas:', webhooks),
      ...ended('Estas aplicaciones se han desconectado; vuelve a conectar las que reconozcas:', applications),
      {
        paragraph: '¿No has sido tú? Elige enseguida una nueva contraseña y revisa también la seguridad de tu correo.',
      },
      { link: url, label: 'Elegir una nueva contraseña' },
    ],
  }),
  fr: ({ at, url, keys, webhooks, applications }) => ({
    subject: 'Votre mot de passe a été modifié',
    parts: [
      { paragraph: `Le mot de passe de votre compte a été modifié le ${at}. Toutes vos sessions ont été fermées.` },
      ...ended(
        "Ces clés d'API ont été révoquées ; les programmes qui les utilisent en ont besoin de nouvelles :",
        keys,
      ),
      ...ended('Ces webhooks ont été suspendus ; réactivez ceux que vous reconnaissez :', webhooks),
      ...ended('Ces applications ont été déconnectées ; reconnectez celles que vous reconnaissez :', applications),
      {
        paragraph:
          "Ce n'était pas vous ? Choisissez tout de suite un nouveau mot de passe et vérifiez aussi la sécurité de votre messagerie.",
      },
      { link: url, label: 'Choisir un nouveau mot de passe' },
    ],
  }),
  de: ({ at, url, keys, webhooks, applications }) => ({
    subject: 'Ihr Passwort wurde geändert',
    parts: [
      { paragraph: `Das Passwort Ihres Kontos wurde am ${at} geändert. Sie wurden überall abgemeldet.` },
      ...ended('Diese API-Schlüssel wurden widerrufen; Programme, die sie verwenden, brauchen neue:', keys),
      ...ended('Diese Webhooks wurden angehalten; schalten Sie wieder ein, was Sie kennen:', webhooks),
      ...ended('Diese Anwendungen wurden getrennt; verbinden Sie wieder, was Sie kennen:', applications),
      {
        paragraph:
          'Das waren nicht Sie? Dann legen Sie sofort ein neues Passwort fest und sichern Sie auch Ihr Postfach.',
      },
      { link: url, label: 'Neues Passwort festlegen' },
    ],
  }),
  it: ({ at, url, keys, webhooks, applications }) => ({
    subject: 'La tua password è stata cambiata',
    parts: [
      { paragraph: `La password del tuo account è stata cambiata il ${at}. Tutte le tue sessioni sono state chiuse.` },
      ...ended('Queste chiavi API sono state revocate; ai programmi che le usano ne servono di nuove:', keys),
      ...ended('Questi webhook sono stati sospesi; riattiva quelli che riconosci:', webhooks),
      ...ended('Queste applicazioni sono state scollegate; ricollega quelle che riconosci:', applications),
      {
        paragraph:
          'Non riconosci questa modifica? Scegli subito una nuova password e controlla anche la sicurezza della tua casella di posta.',
      },
      { link: url, label: 'Scegli una nuova password' },
    ],
  }),
  ko: ({ at, url, keys, webhooks, applications }) => ({
    subject: '비밀번호가 변경되었습니다',
    parts: [
      { paragraph: `${at}에 회원님 계정의 비밀번호가 변경되었습니다. 모든 기기에서 로그아웃되었습니다.` },
      ...ended('다음 API 키가 취소되었습니다. 이 키를 사용하는 프로그램에는 새 키가 필요합니다:', keys),
      ...ended('다음 웹훅이 일시 중지되었습니다. 알고 있는 웹훅만 다시 활성화해 주세요:', webhooks),
      ...ended('다음 앱의 연결이 해제되었습니다. 알고 있는 앱만 다시 연결해 주세요:', applications),
      { paragraph: '본인이 변경하지 않았다면 즉시 새 비밀번호를 설정하고, 메일함의 보안도 확인해 주세요.' },
      { link: url, label: '새 비밀번호 설정' },
    ],
  }),
  ja: ({ at, url, keys, webhooks, applications }) => ({
    subject: 'パスワードが変更されました',
    parts: [
      {
        paragraph: `${at}に、お客様のアカウントのパスワードが変更されました。すべての端末からログアウトされています。`,
      },
      ...ended('次のAPIキーを無効にしました。使用しているプログラムには新しいキーが必要です:', keys),
      ...ended('次のWebhookを一時停止しました。お心当たりのあるものだけ、再度有効にしてください:', webhooks),
      ...ended('次のアプリの接続を解除しました。お心当たりのあるものだけ、再度接続してください:', applications),
      {
        paragraph: 'お心当たりがない場合は、すぐに新しいパスワードを設定し、メールアカウントの安全もご確認ください。',
      },
      { link: url, label: '新しいパスワードを設定する' },
    ],
  }),
};

/** Looks up the keys, webhooks and applications that have ended: their names are not in the job. One deleted since is left out. */
export async function loadPasswordChanged({ db }: WorkerServices, data: Record<string, unknown>) {
  const { key_ids: keyIds, webhook_ids: webhookIds, application_ids: grantIds, ...rest } = jobData.parse(data);
  const [keys, webhooks, applications] = await Promise.all([
    db
      .selectFrom('api_keys')
      .select(['label', 'key_prefix'])
      .where('id', '=', sql<string>`any(${keyIds})`)
      .orderBy('id')
      .execute(),
    db
      .selectFrom('webhooks')
      .select('url')
      .where('id', '=', sql<string>`any(${webhookIds})`)
      .orderBy('id')
      .execute(),
    db
      .selectFrom('oauth_grants as g')
      .innerJoin('oauth_clients as c', 'c.id', 'g.client_id')
      .select('c.name')
      .where('g.id', '=', sql<string>`any(${grantIds})`)
      .orderBy('g.id')
      .execute(),
  ]);
  return { ...rest, keys, webhooks, applications };
}

/** Tells somebody that the password of their account was changed, what ended with it, and where to change it back. */
export function renderPasswordChanged(data: Record<string, unknown>, locale: Locale): Message {
  const { changed_at: changedAt, url, keys, webhooks, applications } = fields.parse(data);
  const at = new Date(changedAt).toLocaleString(locale, { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' });
  return wording[locale]({
    at: `${at} UTC`,
    url,
    keys: keys.map(({ label, key_prefix: prefix }) => `${oneLine(label)} (${prefix}…)`).join('\n'),
    webhooks: webhooks.map((webhook) => webhook.url).join('\n'),
    applications: applications.map(({ name }) => oneLine(name)).join('\n'),
  });
}

const oneLine = (text: string) => text.replaceAll(/\s+/g, ' ');
