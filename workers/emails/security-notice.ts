import { z } from 'zod';
import type { Locale } from '../../shared/profiles/profile.ts';
import type { Message, Wording } from './layout.ts';

const fields = z.object({
  event: z.enum(['signed_in', 'app_added', 'app_removed', 'passkey_added']),
  at: z.iso.datetime(),
  device: z.string(),
  network: z.string(),
  url: z.url({ protocol: /^https?$/ }),
});

type Event = z.infer<typeof fields>['event'];
type Values = { event: Event; at: string; device: string; network: string; url: string };

const wording: Wording<Values> = {
  en: ({ event, at, device, network, url }) => ({
    subject: {
      signed_in: 'A new device signed in to your account',
      app_added: 'Two-factor sign-in is on',
      app_removed: 'Two-factor sign-in is off',
      passkey_added: 'A passkey was added to your account',
    }[event],
    parts: [
      {
        paragraph: {
          signed_in: 'Somebody has signed in to your account from a device that we have not seen there before.',
          app_added: 'From now on, signing in with your password asks for a code of your authenticator app.',
          app_removed: 'Signing in with your password no longer asks for a code of your authenticator app.',
          passkey_added: 'From now on, this passkey opens your account without a password.',
        }[event],
      },
      { quote: `${device || 'Unknown device'}\n${network}\n${at}` },
      { paragraph: 'Was it not you? Then sign that device out, and set a new password right away.' },
      { link: url, label: 'See devices and sign-in' },
    ],
  }),
  es: ({ event, at, device, network, url }) => ({
    subject: {
      signed_in: 'Un dispositivo nuevo ha entrado en tu cuenta',
      app_added: 'La verificación en dos pasos está activada',
      app_removed: 'La verificación en dos pasos está desactivada',
      passkey_added: 'Se ha añadido una llave de acceso a tu cuenta',
    }[event],
    parts: [
      {
        paragraph: {
          signed_in:
            'Alguien ha iniciado sesión en tu cuenta desde un dispositivo que no habíamos visto antes en ella.',
          app_added: 'A partir de ahora, entrar con tu contraseña requiere también un código de tu aplicación.',
          app_removed: 'Para entrar con tu contraseña ya no se pide un código de tu aplicación.',
          passkey_added: 'A partir de ahora, esta llave de acceso abre tu cuenta sin contraseña.',
        }[event],
      },
      { quote: `${device || 'Dispositivo desconocido'}\n${network}\n${at}` },
      { paragraph: '¿No has sido tú? Cierra la sesión de ese dispositivo y elige enseguida una nueva contraseña.' },
      { link: url, label: 'Ver dispositivos y acceso' },
    ],
  }),
  fr: ({ event, at, device, network, url }) => ({
    subject: {
      signed_in: "Un nouvel appareil s'est connecté à votre compte",
      app_added: 'La connexion en deux étapes est activée',
      app_removed: 'La connexion en deux étapes est désactivée',
      passkey_added: "Une clé d'accès a été ajoutée à votre compte",
    }[event],
    parts: [
      {
        paragraph: {
          signed_in: "Quelqu'un s'est connecté à votre compte depuis un appareil que nous n'y avions jamais vu.",
          app_added: 'Désormais, la connexion par mot de passe demande aussi un code de votre application.',
          app_removed: 'La connexion par mot de passe ne demande plus de code de votre application.',
          passkey_added: "Désormais, cette clé d'accès ouvre votre compte sans mot de passe.",
        }[event],
      },
      { quote: `${device || 'Appareil inconnu'}\n${network}\n${at}` },
      {
        paragraph:
          "Ce n'était pas vous ? Déconnectez cet appareil et choisissez tout de suite un nouveau mot de passe.",
      },
      { link: url, label: 'Voir les appareils et la connexion' },
    ],
  }),
  de: ({ event, at, device, network, url }) => ({
    subject: {
      signed_in: 'Ein neues Gerät hat sich bei Ihrem Konto angemeldet',
      app_added: 'Die Anmeldung in zwei Schritten ist eingeschaltet',
      app_removed: 'Die Anmeldung in zwei Schritten ist ausgeschaltet',
      passkey_added: 'Ihrem Konto wurde ein Passkey hinzugefügt',
    }[event],
    parts: [
      {
        paragraph: {
          signed_in:
            'Jemand hat sich bei Ihrem Konto von einem Gerät angemeldet, das wir dort noch nicht gesehen haben.',
          app_added: 'Von jetzt an verlangt die Anmeldung mit Passwort auch einen Code Ihrer Authenticator-App.',
          app_removed: 'Die Anmeldung mit Passwort verlangt keinen Code Ihrer Authenticator-App mehr.',
          passkey_added: 'Von jetzt an öffnet dieser Passkey Ihr Konto ohne Passwort.',
        }[event],
      },
      { quote: `${device || 'Unbekanntes Gerät'}\n${network}\n${at}` },
      { paragraph: 'Das waren nicht Sie? Dann melden Sie das Gerät ab und legen Sie sofort ein neues Passwort fest.' },
      { link: url, label: 'Geräte und Anmeldung ansehen' },
    ],
  }),
  it: ({ event, at, device, network, url }) => ({
    subject: {
      signed_in: 'Un nuovo dispositivo ha effettuato l’accesso al tuo account',
      app_added: 'La verifica in due passaggi è attiva',
      app_removed: 'La verifica in due passaggi è disattivata',
      passkey_added: 'Una passkey è stata aggiunta al tuo account',
    }[event],
    parts: [
      {
        paragraph: {
          signed_in: 'Qualcuno ha effettuato l’accesso al tuo account da un dispositivo che non avevamo mai visto.',
          app_added: 'D’ora in poi, l’accesso con password richiede anche un codice della tua app.',
          app_removed: 'L’accesso con password non richiede più un codice della tua app.',
          passkey_added: 'D’ora in poi, questa passkey apre il tuo account senza password.',
        }[event],
      },
      { quote: `${device || 'Dispositivo sconosciuto'}\n${network}\n${at}` },
      { paragraph: 'Non sei stato tu? Disconnetti quel dispositivo e scegli subito una nuova password.' },
      { link: url, label: 'Vedi dispositivi e accesso' },
    ],
  }),
  ko: ({ event, at, device, network, url }) => ({
    subject: {
      signed_in: '새 기기에서 계정에 로그인했습니다',
      app_added: '2단계 인증이 켜졌습니다',
      app_removed: '2단계 인증이 꺼졌습니다',
      passkey_added: '계정에 패스키가 추가되었습니다',
    }[event],
    parts: [
      {
        paragraph: {
          signed_in: '지금까지 사용된 적이 없는 기기에서 누군가 회원님의 계정에 로그인했습니다.',
          app_added: '이제부터 비밀번호로 로그인할 때 인증 앱의 코드도 입력해야 합니다.',
          app_removed: '이제 비밀번호로 로그인할 때 인증 앱의 코드를 묻지 않습니다.',
          passkey_added: '이제부터 이 패스키로 비밀번호 없이 계정에 로그인할 수 있습니다.',
        }[event],
      },
      { quote: `${device || '알 수 없는 기기'}\n${network}\n${at}` },
      { paragraph: '본인이 아니라면 해당 기기를 로그아웃하고 즉시 새 비밀번호를 설정해 주세요.' },
      { link: url, label: '기기 및 로그인 보기' },
    ],
  }),
  ja: ({ event, at, device, network, url }) => ({
    subject: {
      signed_in: '新しい端末からログインがありました',
      app_added: '2段階認証が有効になりました',
      app_removed: '2段階認証が無効になりました',
      passkey_added: 'アカウントにパスキーが追加されました',
    }[event],
    parts: [
      {
        paragraph: {
          signed_in: 'これまで使われたことのない端末から、お客様のアカウントにログインがありました。',
          app_added: '今後、パスワードでログインする際に認証アプリのコードも必要になります。',
          app_removed: 'パスワードでログインする際に、認証アプリのコードは不要になりました。',
          passkey_added: '今後、このパスキーでパスワードなしにログインできます。',
        }[event],
      },
      { quote: `${device || '不明な端末'}\n${network}\n${at}` },
      { paragraph: 'お心当たりがない場合は、その端末をログアウトさせ、すぐに新しいパスワードを設定してください。' },
      { link: url, label: '端末とログインを確認する' },
    ],
  }),
};

/** Tells the owner of an account of a sign-in from an unknown device, or that a way to sign in was added or removed, and from where. */
export function renderSecurityNotice(data: Record<string, unknown>, locale: Locale): Message {
  const { at, ...values } = fields.parse(data);
  const when = new Date(at).toLocaleString(locale, { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' });
  return wording[locale]({ ...values, at: `${when} UTC` });
}
