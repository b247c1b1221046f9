import { z } from 'zod';
import { createAccountLink } from '../../shared/accounts/link-requests.ts';
import type { Locale } from '../../shared/profiles/profile.ts';
import type { WorkerServices } from '../services.ts';
import type { Message, Wording } from './layout.ts';

const jobData = z.object({ page: z.enum(['site', 'console']).optional() });

const fields = z.object({ url: z.url({ protocol: /^https?$/ }) });

const wording: Wording<z.infer<typeof fields>> = {
  en: ({ url }) => ({
    subject: 'Your link to log in',
    parts: [
      { paragraph: 'Here is the link you asked for. It logs you in once, within the next 15 minutes.' },
      { link: url, label: 'Log in' },
      { paragraph: 'You did not ask for it? Then ignore this mail: without the link, nobody gets in.' },
    ],
  }),
  es: ({ url }) => ({
    subject: 'Tu enlace para iniciar sesión',
    parts: [
      {
        paragraph:
          'Este es el enlace que has pedido. Sirve para iniciar sesión una sola vez, durante los próximos 15 minutos.',
      },
      { link: url, label: 'Iniciar sesión' },
      { paragraph: '¿No lo has pedido tú? Ignora este correo: sin el enlace, nadie puede entrar.' },
    ],
  }),
  fr: ({ url }) => ({
    subject: 'Votre lien de connexion',
    parts: [
      {
        paragraph:
          'Voici le lien que vous avez demandé. Il vous connecte une seule fois, dans les 15 minutes qui viennent.',
      },
      { link: url, label: 'Se connecter' },
      {
        paragraph:
          "Vous ne l'avez pas demandé ? Ignorez ce message : sans le lien, personne ne peut accéder à votre compte.",
      },
    ],
  }),
  de: ({ url }) => ({
    subject: 'Ihr Link zum Anmelden',
    parts: [
      {
        paragraph:
          'Hier ist der Link, den Sie angefordert haben. Er meldet Sie ein einziges Mal an, innerhalb der nächsten 15 Minuten.',
      },
      { link: url, label: 'Anmelden' },
      {
        paragraph:
          'Sie haben ihn nicht angefordert? Dann ignorieren Sie diese Mail: Ohne den Link kommt niemand in Ihr Konto.',
      },
    ],
  }),
  it: ({ url }) => ({
    subject: 'Il tuo link per accedere',
    parts: [
      {
        paragraph:
          'Ecco il link che hai richiesto. Ti permette di accedere una sola volta, entro i prossimi 15 minuti.',
      },
      { link: url, label: 'Accedi' },
      { paragraph: 'Non lo hai richiesto tu? Ignora questo messaggio: senza il link nessuno può entrare.' },
    ],
  }),
  ko: ({ url }) => ({
    subject: '로그인 링크를 보내드립니다',
    parts: [
      { paragraph: '요청하신 로그인 링크입니다. 앞으로 15분 동안 한 번만 사용할 수 있습니다.' },
      { link: url, label: '로그인' },
      { paragraph: '요청하신 적이 없다면 이 메일을 무시하셔도 됩니다. 링크 없이는 아무도 로그인할 수 없습니다.' },
    ],
  }),
  ja: ({ url }) => ({
    subject: 'ログイン用リンクのお知らせ',
    parts: [
      { paragraph: 'ご依頼のログイン用リンクをお送りします。15分以内に一度だけご利用いただけます。' },
      { link: url, label: 'ログインする' },
      {
        paragraph:
          'お心当たりがない場合は、このメールを破棄してください。リンクがなければ、第三者がログインすることはできません。',
      },
    ],
  }),
};

/** Makes the link at the moment the mail is written, so that no job ever holds it. */
export async function loadMagicLink(services: WorkerServices, data: Record<string, unknown>, userId: string) {
  const { page } = jobData.parse(data);
  const url = await createAccountLink(services, 'magic_link', userId, page);
  return url === undefined ? undefined : { url };
}

/** Hands somebody a link to log in with: `{url}`. */
export function renderMagicLink(data: Record<string, unknown>, locale: Locale): Message {
  return wording[locale](fields.parse(data));
}
