import { z } from 'zod';
import { createAccountLink } from '../../shared/accounts/link-requests.ts';
import type { Locale } from '../../shared/profiles/profile.ts';
import type { WorkerServices } from '../services.ts';
import type { Message, Wording } from './layout.ts';

const fields = z.object({ url: z.url({ protocol: /^https?$/ }) });

const wording: Wording<z.infer<typeof fields>> = {
  en: ({ url }) => ({
    subject: 'Please confirm your email address',
    parts: [
      { paragraph: 'Welcome! Please confirm that this address is yours. The link works for 7 days.' },
      { link: url, label: 'Confirm my address' },
      {
        paragraph:
          'You have made no account? Then somebody else has entered your address: do not follow the link, and ignore this mail.',
      },
    ],
  }),
  es: ({ url }) => ({
    subject: 'Confirma tu dirección de correo',
    parts: [
      { paragraph: '¡Te damos la bienvenida! Confirma que esta dirección es tuya. El enlace funciona durante 7 días.' },
      { link: url, label: 'Confirmar mi dirección' },
      {
        paragraph:
          '¿No has creado ninguna cuenta? Entonces otra persona ha indicado tu dirección: no abras el enlace e ignora este correo.',
      },
    ],
  }),
  fr: ({ url }) => ({
    subject: 'Confirmez votre adresse e-mail',
    parts: [
      { paragraph: 'Bienvenue ! Confirmez que cette adresse est bien la vôtre. Le lien fonctionne pendant 7 jours.' },
      { link: url, label: 'Confirmer mon adresse' },
      {
        paragraph:
          "Vous n'avez pas créé de compte ? Quelqu'un d'autre a donc saisi votre adresse : ne suivez pas le lien et ignorez ce message.",
      },
    ],
  }),
  de: ({ url }) => ({
    subject: 'Bitte bestätigen Sie Ihre E-Mail-Adresse',
    parts: [
      { paragraph: 'Willkommen! Bitte bestätigen Sie, dass diese Adresse Ihnen gehört. Der Link gilt 7 Tage lang.' },
      { link: url, label: 'Adresse bestätigen' },
      {
        paragraph:
          'Sie haben kein Konto angelegt? Dann hat jemand anderes Ihre Adresse eingegeben: Folgen Sie dem Link nicht und ignorieren Sie diese Mail.',
      },
    ],
  }),
  it: ({ url }) => ({
    subject: 'Conferma il tuo indirizzo email',
    parts: [
      { paragraph: 'Ti diamo il benvenuto! Conferma che questo indirizzo è tuo. Il link vale per 7 giorni.' },
      { link: url, label: 'Conferma il mio indirizzo' },
      {
        paragraph:
          'Non hai creato nessun account? Allora qualcun altro ha inserito il tuo indirizzo: non aprire il link e ignora questo messaggio.',
      },
    ],
  }),
  ko: ({ url }) => ({
    subject: '이메일 주소를 확인해 주세요',
    parts: [
      { paragraph: '가입을 환영합니다! 이 주소가 본인의 것인지 확인해 주세요. 링크는 7일 동안 사용할 수 있습니다.' },
      { link: url, label: '내 주소 확인' },
      {
        paragraph:
          '계정을 만드신 적이 없다면 다른 사람이 이 주소를 입력한 것입니다. 링크를 열지 말고 이 메일을 무시해 주세요.',
      },
    ],
  }),
  ja: ({ url }) => ({
    subject: 'メールアドレスのご確認',
    parts: [
      {
        paragraph:
          'ご登録ありがとうございます。このアドレスがご本人のものであることをご確認ください。リンクは7日間有効です。',
      },
      { link: url, label: 'アドレスを確認する' },
      {
        paragraph:
          'アカウントを作成した覚えがない場合は、他の方がこのアドレスを入力したものと思われます。リンクを開かずに、このメールを破棄してください。',
      },
    ],
  }),
};

/** Makes the link at the moment the mail is written, so that no job ever holds it. */
export async function loadVerifyEmail(services: WorkerServices, _data: Record<string, unknown>, userId: string) {
  const url = await createAccountLink(services, 'verify_email', userId);
  return url === undefined ? undefined : { url };
}

/** Asks somebody to prove that an address is theirs: `{url}`. */
export function renderVerifyEmail(data: Record<string, unknown>, locale: Locale): Message {
  return wording[locale](fields.parse(data));
}
