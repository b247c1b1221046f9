import { z } from 'zod';
import type { Locale } from '../../shared/profiles/profile.ts';
import type { Message, Wording } from './layout.ts';

const fields = z.object({ at: z.iso.datetime(), url: z.url({ protocol: /^https?$/ }) });

const wording: Wording<z.infer<typeof fields>> = {
  en: ({ at, url }) => ({
    subject: 'Your second factors were removed',
    parts: [
      {
        paragraph: `The team of the marketplace removed the authenticator app, the recovery codes and the passkeys of your account on ${at}. You were logged out everywhere.`,
      },
      {
        paragraph: 'Sign in with your password or a mailed link, and set up a new second factor on your account page.',
      },
      { paragraph: 'Did you not ask for that? Then set a new password right away, and write to the team.' },
      { link: url, label: 'Set a new password' },
    ],
  }),
  es: ({ at, url }) => ({
    subject: 'Se han eliminado tus segundos factores',
    parts: [
      {
        paragraph: `El equipo del mercado eliminó el ${at} la aplicación de autenticación, los códigos de recuperación y las llaves de acceso de tu cuenta. Se han cerrado todas tus sesiones.`,
      },
      {
        paragraph:
          'Entra con tu contraseña o con un enlace enviado por correo y configura un nuevo segundo factor en la página de tu cuenta.',
      },
      { paragraph: '¿No lo has pedido tú? Elige enseguida una nueva contraseña y escribe al equipo.' },
      { link: url, label: 'Elegir una nueva contraseña' },
    ],
  }),
  fr: ({ at, url }) => ({
    subject: 'Vos seconds facteurs ont été supprimés',
    parts: [
      {
        paragraph: `L'équipe de la place de marché a supprimé le ${at} l'application d'authentification, les codes de secours et les clés d'accès de votre compte. Toutes vos sessions ont été fermées.`,
      },
      {
        paragraph:
          'Connectez-vous avec votre mot de passe ou un lien envoyé par e-mail, puis configurez un nouveau second facteur sur la page de votre compte.',
      },
      {
        paragraph:
          "Vous ne l'avez pas demandé ? Choisissez tout de suite un nouveau mot de passe et écrivez à l'équipe.",
      },
      { link: url, label: 'Choisir un nouveau mot de passe' },
    ],
  }),
  de: ({ at, url }) => ({
    subject: 'Ihre zweiten Faktoren wurden entfernt',
    parts: [
      {
        paragraph: `Das Team des Marktplatzes hat am ${at} die Authenticator-App, die Wiederherstellungscodes und die Passkeys Ihres Kontos entfernt. Sie wurden überall abgemeldet.`,
      },
      {
        paragraph:
          'Melden Sie sich mit Ihrem Passwort oder einem Link per E-Mail an und richten Sie auf Ihrer Kontoseite einen neuen zweiten Faktor ein.',
      },
      {
        paragraph:
          'Sie haben nicht darum gebeten? Dann legen Sie sofort ein neues Passwort fest und schreiben Sie dem Team.',
      },
      { link: url, label: 'Neues Passwort festlegen' },
    ],
  }),
  it: ({ at, url }) => ({
    subject: 'I tuoi secondi fattori sono stati rimossi',
    parts: [
      {
        paragraph: `Il team del marketplace ha rimosso il ${at} l’app di autenticazione, i codici di recupero e le passkey del tuo account. Tutte le tue sessioni sono state chiuse.`,
      },
      {
        paragraph:
          'Accedi con la tua password o con un link inviato per e-mail e configura un nuovo secondo fattore nella pagina del tuo account.',
      },
      { paragraph: 'Non lo hai chiesto tu? Scegli subito una nuova password e scrivi al team.' },
      { link: url, label: 'Scegli una nuova password' },
    ],
  }),
  ko: ({ at, url }) => ({
    subject: '2단계 인증 수단이 삭제되었습니다',
    parts: [
      {
        paragraph: `마켓플레이스 운영팀이 ${at}에 회원님 계정의 인증 앱, 복구 코드, 패스키를 삭제했습니다. 모든 기기에서 로그아웃되었습니다.`,
      },
      {
        paragraph: '비밀번호나 이메일로 받은 링크로 로그인한 뒤 계정 페이지에서 새 2단계 인증 수단을 설정해 주세요.',
      },
      { paragraph: '요청하신 적이 없다면 즉시 새 비밀번호를 설정하고 운영팀에 알려 주세요.' },
      { link: url, label: '새 비밀번호 설정' },
    ],
  }),
  ja: ({ at, url }) => ({
    subject: '2段階認証の手段が削除されました',
    parts: [
      {
        paragraph: `マーケットプレイスの運営チームが${at}に、お客様のアカウントの認証アプリ、回復コード、パスキーを削除しました。すべての端末からログアウトされています。`,
      },
      {
        paragraph: 'パスワードまたはメールのリンクでログインし、アカウントページで新しい2段階認証を設定してください。',
      },
      { paragraph: 'お心当たりがない場合は、すぐに新しいパスワードを設定し、運営チームにご連絡ください。' },
      { link: url, label: '新しいパスワードを設定する' },
    ],
  }),
};

/** Tells the owner of an account that an administrator has removed its second factors. */
export function renderSecondFactorsReset(data: Record<string, unknown>, locale: Locale): Message {
  const { at, url } = fields.parse(data);
  const when = new Date(at).toLocaleString(locale, { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' });
  return wording[locale]({ at: `${when} UTC`, url });
}
