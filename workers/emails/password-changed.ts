import { z } from 'zod';
import type { Locale } from '../../shared/profiles/profile.ts';
import { renderWording, type Email, type Wording } from './layout.ts';

const fields = z.object({ changed_at: z.iso.datetime(), url: z.url({ protocol: /^https?$/ }) });

type Values = { at: string; url: string };

const wording: Wording<Values> = {
  en: ({ at, url }) => ({
    subject: 'Your password was changed',
    parts: [
      { paragraph: `The password of your account was changed on ${at}. You were logged out everywhere.` },
      { paragraph: 'Was it not you? Then set a new password right away, and look after your mailbox as well.' },
      { link: url, label: 'Set a new password' },
    ],
  }),
  es: ({ at, url }) => ({
    subject: 'Tu contraseña ha cambiado',
    parts: [
      { paragraph: `La contraseña de tu cuenta se cambió el ${at}. Se han cerrado todas tus sesiones.` },
      {
        paragraph: '¿No has sido tú? Elige enseguida una nueva contraseña y revisa también la seguridad de tu correo.',
      },
      { link: url, label: 'Elegir una nueva contraseña' },
    ],
  }),
  fr: ({ at, url }) => ({
    subject: 'Votre mot de passe a été modifié',
    parts: [
      { paragraph: `Le mot de passe de votre compte a été modifié le ${at}. Toutes vos sessions ont été fermées.` },
      {
        paragraph:
          "Ce n'était pas vous ? Choisissez tout de suite un nouveau mot de passe et vérifiez aussi la sécurité de votre messagerie.",
      },
      { link: url, label: 'Choisir un nouveau mot de passe' },
    ],
  }),
  de: ({ at, url }) => ({
    subject: 'Ihr Passwort wurde geändert',
    parts: [
      { paragraph: `Das Passwort Ihres Kontos wurde am ${at} geändert. Sie wurden überall abgemeldet.` },
      {
        paragraph:
          'Das waren nicht Sie? Dann legen Sie sofort ein neues Passwort fest und sichern Sie auch Ihr Postfach.',
      },
      { link: url, label: 'Neues Passwort festlegen' },
    ],
  }),
  it: ({ at, url }) => ({
    subject: 'La tua password è stata cambiata',
    parts: [
      { paragraph: `La password del tuo account è stata cambiata il ${at}. Tutte le tue sessioni sono state chiuse.` },
      {
        paragraph:
          'Non riconosci questa modifica? Scegli subito una nuova password e controlla anche la sicurezza della tua casella di posta.',
      },
      { link: url, label: 'Scegli una nuova password' },
    ],
  }),
  ko: ({ at, url }) => ({
    subject: '비밀번호가 변경되었습니다',
    parts: [
      { paragraph: `${at}에 회원님 계정의 비밀번호가 변경되었습니다. 모든 기기에서 로그아웃되었습니다.` },
      { paragraph: '본인이 변경하지 않았다면 즉시 새 비밀번호를 설정하고, 메일함의 보안도 확인해 주세요.' },
      { link: url, label: '새 비밀번호 설정' },
    ],
  }),
  ja: ({ at, url }) => ({
    subject: 'パスワードが変更されました',
    parts: [
      {
        paragraph: `${at}に、お客様のアカウントのパスワードが変更されました。すべての端末からログアウトされています。`,
      },
      {
        paragraph: 'お心当たりがない場合は、すぐに新しいパスワードを設定し、メールアカウントの安全もご確認ください。',
      },
      { link: url, label: '新しいパスワードを設定する' },
    ],
  }),
};

/** Tells somebody that the password of their account was changed, and where to change it back: `{changed_at, url}`. */
export function renderPasswordChanged(data: Record<string, unknown>, locale: Locale): Email {
  const { changed_at: changedAt, url } = fields.parse(data);
  const at = new Date(changedAt).toLocaleString(locale, { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' });
  return renderWording(wording, locale, { at: `${at} UTC`, url });
}
