import { z } from 'zod';
import { createAccountLink } from '../../shared/accounts/link-requests.ts';
import type { Locale } from '../../shared/profiles/profile.ts';
import type { WorkerServices } from '../services.ts';
import type { Message, Wording } from './layout.ts';

const fields = z.object({ url: z.url({ protocol: /^https?$/ }) });

const wording: Wording<z.infer<typeof fields>> = {
  en: ({ url }) => ({
    subject: 'Set a new password',
    parts: [
      {
        paragraph:
          'Somebody, hopefully you, wants to set a new password for your account. This link works for one hour, once.',
      },
      { link: url, label: 'Set a new password' },
      { paragraph: 'You did not ask for it? Then ignore this mail: your password stays as it is.' },
    ],
  }),
  es: ({ url }) => ({
    subject: 'Elige una nueva contraseña',
    parts: [
      {
        paragraph:
          'Alguien, esperamos que tú, quiere cambiar la contraseña de tu cuenta. Este enlace funciona durante una hora y una sola vez.',
      },
      { link: url, label: 'Elegir una nueva contraseña' },
      { paragraph: '¿No lo has pedido tú? Ignora este correo: tu contraseña no cambiará.' },
    ],
  }),
  fr: ({ url }) => ({
    subject: 'Choisissez un nouveau mot de passe',
    parts: [
      {
        paragraph:
          "Quelqu'un, vous sans doute, souhaite changer le mot de passe de votre compte. Ce lien fonctionne pendant une heure, une seule fois.",
      },
      { link: url, label: 'Choisir un nouveau mot de passe' },
      { paragraph: "Vous n'avez rien demandé ? Ignorez ce message : votre mot de passe reste inchangé." },
    ],
  }),
  de: ({ url }) => ({
    subject: 'Neues Passwort festlegen',
    parts: [
      {
        paragraph:
          'Jemand, hoffentlich Sie selbst, möchte ein neues Passwort für Ihr Konto festlegen. Dieser Link gilt eine Stunde lang und nur ein Mal.',
      },
      { link: url, label: 'Neues Passwort festlegen' },
      {
        paragraph: 'Sie haben das nicht angefordert? Dann ignorieren Sie diese Mail: Ihr Passwort bleibt, wie es ist.',
      },
    ],
  }),
  it: ({ url }) => ({
    subject: 'Scegli una nuova password',
    parts: [
      {
        paragraph:
          "Qualcuno, speriamo tu, vuole cambiare la password del tuo account. Questo link vale per un'ora e una sola volta.",
      },
      { link: url, label: 'Scegli una nuova password' },
      { paragraph: 'Non lo hai richiesto tu? Ignora questo messaggio: la tua password resta quella di prima.' },
    ],
  }),
  ko: ({ url }) => ({
    subject: '새 비밀번호를 설정해 주세요',
    parts: [
      {
        paragraph:
          '회원님 계정의 비밀번호를 새로 설정해 달라는 요청을 받았습니다. 이 링크는 한 시간 동안 한 번만 사용할 수 있습니다.',
      },
      { link: url, label: '새 비밀번호 설정' },
      { paragraph: '요청하신 적이 없다면 이 메일을 무시하셔도 됩니다. 비밀번호는 바뀌지 않습니다.' },
    ],
  }),
  ja: ({ url }) => ({
    subject: '新しいパスワードの設定',
    parts: [
      {
        paragraph:
          'お客様のアカウントのパスワードを再設定するご依頼を受け付けました。次のリンクは1時間以内に一度だけご利用いただけます。',
      },
      { link: url, label: '新しいパスワードを設定する' },
      { paragraph: 'お心当たりがない場合は、このメールを破棄してください。パスワードは変更されません。' },
    ],
  }),
};

/** Makes the link at the moment the mail is written, so that no job ever holds it. */
export async function loadPasswordReset(services: WorkerServices, _data: Record<string, unknown>, userId: string) {
  const url = await createAccountLink(services, 'password_reset', userId);
  return url === undefined ? undefined : { url };
}

/** Hands somebody a link to set a new password with: `{url}`. */
export function renderPasswordReset(data: Record<string, unknown>, locale: Locale): Message {
  return wording[locale](fields.parse(data));
}
