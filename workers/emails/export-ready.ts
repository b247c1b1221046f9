import { z } from 'zod';
import { urlTo } from '../../shared/kit/site-links.ts';
import { signExport } from '../../shared/leaving/export-file.ts';
import type { Locale } from '../../shared/profiles/profile.ts';
import type { WorkerServices } from '../services.ts';
import type { Message, Wording } from './layout.ts';

const jobData = z.object({ export_id: z.string() });
const fields = z.object({ url: z.url({ protocol: /^https?$/ }) });

const wording: Wording<z.infer<typeof fields>> = {
  en: ({ url }) => ({
    subject: 'Your data are ready',
    parts: [
      { paragraph: 'All that we hold of you is in one file now. You can download it once, within 24 hours.' },
      { link: url, label: 'Download my data' },
      { paragraph: 'You did not ask for it? Then change your password: somebody else is signed in to your account.' },
    ],
  }),
  es: ({ url }) => ({
    subject: 'Tus datos están listos',
    parts: [
      { paragraph: 'Todo lo que guardamos sobre ti está en un archivo. Puedes descargarlo una vez, durante 24 horas.' },
      { link: url, label: 'Descargar mis datos' },
      { paragraph: '¿No lo has pedido tú? Cambia tu contraseña: alguien más ha entrado en tu cuenta.' },
    ],
  }),
  fr: ({ url }) => ({
    subject: 'Vos données sont prêtes',
    parts: [
      {
        paragraph:
          'Tout ce que nous conservons à votre sujet se trouve dans un fichier. Vous pouvez le télécharger une fois, pendant 24 heures.',
      },
      { link: url, label: 'Télécharger mes données' },
      {
        paragraph:
          "Vous ne l'avez pas demandé ? Changez votre mot de passe : quelqu'un d'autre est connecté à votre compte.",
      },
    ],
  }),
  de: ({ url }) => ({
    subject: 'Ihre Daten sind bereit',
    parts: [
      {
        paragraph:
          'Alles, was wir über Sie gespeichert haben, liegt in einer Datei. Sie können sie einmal herunterladen, innerhalb von 24 Stunden.',
      },
      { link: url, label: 'Meine Daten herunterladen' },
      {
        paragraph:
          'Sie haben sie nicht angefordert? Dann ändern Sie Ihr Passwort: Jemand anderes ist in Ihrem Konto angemeldet.',
      },
    ],
  }),
  it: ({ url }) => ({
    subject: 'I tuoi dati sono pronti',
    parts: [
      {
        paragraph: 'Tutto ciò che conserviamo su di te è in un file. Puoi scaricarlo una sola volta, entro 24 ore.',
      },
      { link: url, label: 'Scarica i miei dati' },
      { paragraph: 'Non lo hai richiesto tu? Cambia la password: qualcun altro è entrato nel tuo account.' },
    ],
  }),
  ko: ({ url }) => ({
    subject: '데이터가 준비되었습니다',
    parts: [
      { paragraph: '보관 중인 회원님의 모든 데이터를 파일 하나에 담았습니다. 24시간 안에 한 번 내려받을 수 있습니다.' },
      { link: url, label: '내 데이터 내려받기' },
      { paragraph: '요청하신 적이 없다면 비밀번호를 바꿔 주세요. 다른 사람이 회원님의 계정에 로그인해 있습니다.' },
    ],
  }),
  ja: ({ url }) => ({
    subject: 'データの準備ができました',
    parts: [
      {
        paragraph:
          '当サービスが保管しているお客様のデータを1つのファイルにまとめました。24時間以内に一度だけダウンロードできます。',
      },
      { link: url, label: 'データをダウンロードする' },
      {
        paragraph:
          'お心当たりがない場合は、パスワードを変更してください。第三者がお客様のアカウントにログインしています。',
      },
    ],
  }),
};

/** Makes the link at the moment the mail is written, so that no job ever holds it. */
export async function loadExportReady({ config }: Pick<WorkerServices, 'config'>, data: Record<string, unknown>) {
  const token = signExport(config.jwtSecrets, jobData.parse(data).export_id);
  return { url: urlTo(config.site, 'data_export', { token }) };
}

/** Tells somebody that the archive of their data can be fetched: `{url}`. */
export function renderExportReady(data: Record<string, unknown>, locale: Locale): Message {
  return wording[locale](fields.parse(data));
}
