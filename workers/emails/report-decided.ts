import { z } from 'zod';
import { urlTo } from '../../shared/kit/site-links.ts';
import type { Locale } from '../../shared/profiles/profile.ts';
import { findReportToTell } from '../../shared/reports/own-reports.ts';
import type { WorkerServices } from '../services.ts';
import type { Message, Wording } from './layout.ts';

const reference = z.object({ report_id: z.string() });
const fields = z.object({
  type: z.enum(['listing', 'user', 'review', 'message']),
  title: z.string(),
  acted: z.boolean(),
  url: z.url({ protocol: /^https?$/ }),
});

type Values = z.infer<typeof fields>;

const wording: Wording<Values> = {
  en: ({ type, title, acted, url: link }) => ({
    subject: 'What came of your report',
    parts: [
      {
        paragraph: `You have told us about ${{ listing: `the listing “${title}”`, user: 'a person', review: 'a review', message: 'a message' }[type]}. We have looked at it.`,
      },
      {
        paragraph: acted
          ? 'We found that it breaks our rules or the law, and have acted on it.'
          : 'We found nothing in it that we would have to act on.',
      },
      {
        paragraph:
          'Thank you for looking out. If you think that the decision is wrong, answer this mail; you can also turn to a certified out-of-court dispute settlement body, or to a court.',
      },
      { link, label: 'See your reports' },
    ],
  }),
  es: ({ type, title, acted, url: link }) => ({
    subject: 'Qué ha sido de tu denuncia',
    parts: [
      {
        paragraph: `Nos avisaste de ${{ listing: `el anuncio «${title}»`, user: 'una persona', review: 'una valoración', message: 'un mensaje' }[type]}. Lo hemos revisado.`,
      },
      {
        paragraph: acted
          ? 'Hemos comprobado que incumple nuestras normas o la ley y hemos actuado.'
          : 'No hemos encontrado nada que nos obligue a actuar.',
      },
      {
        paragraph:
          'Gracias por avisarnos. Si crees que la decisión es errónea, responde a este correo; también puedes acudir a un órgano certificado de resolución extrajudicial de litigios o a los tribunales.',
      },
      { link, label: 'Ver tus denuncias' },
    ],
  }),
  fr: ({ type, title, acted, url: link }) => ({
    subject: 'Les suites de votre signalement',
    parts: [
      {
        paragraph: `Vous nous avez signalé ${{ listing: `l'annonce « ${title} »`, user: 'une personne', review: 'un avis', message: 'un message' }[type]}. Nous avons examiné votre signalement.`,
      },
      {
        paragraph: acted
          ? 'Nous avons constaté une infraction à nos règles ou à la loi et avons agi.'
          : "Nous n'avons rien trouvé qui nous oblige à agir.",
      },
      {
        paragraph:
          'Merci de votre vigilance. Si vous pensez que la décision est erronée, répondez à cet e-mail ; vous pouvez aussi saisir un organe certifié de règlement extrajudiciaire des litiges ou un tribunal.',
      },
      { link, label: 'Voir vos signalements' },
    ],
  }),
  de: ({ type, title, acted, url: link }) => ({
    subject: 'Was aus Ihrer Meldung geworden ist',
    parts: [
      {
        paragraph: `Sie haben uns auf ${{ listing: `die Anzeige „${title}“`, user: 'eine Person', review: 'eine Bewertung', message: 'eine Nachricht' }[type]} hingewiesen. Wir haben es geprüft.`,
      },
      {
        paragraph: acted
          ? 'Es verstößt gegen unsere Regeln oder das Gesetz, und wir haben gehandelt.'
          : 'Wir haben nichts gefunden, weswegen wir handeln müssten.',
      },
      {
        paragraph:
          'Danke, dass Sie aufpassen. Wenn Sie die Entscheidung für falsch halten, antworten Sie auf diese Mail; Sie können sich auch an eine zugelassene Stelle für außergerichtliche Streitbeilegung oder an ein Gericht wenden.',
      },
      { link, label: 'Ihre Meldungen ansehen' },
    ],
  }),
  it: ({ type, title, acted, url: link }) => ({
    subject: "L'esito della tua segnalazione",
    parts: [
      {
        paragraph: `Ci hai segnalato ${{ listing: `l'annuncio «${title}»`, user: 'una persona', review: 'una recensione', message: 'un messaggio' }[type]}. Abbiamo esaminato la segnalazione.`,
      },
      {
        paragraph: acted
          ? 'Abbiamo constatato una violazione delle nostre regole o della legge e siamo intervenuti.'
          : 'Non abbiamo trovato nulla per cui dover intervenire.',
      },
      {
        paragraph:
          'Grazie per la tua attenzione. Se pensi che la decisione sia sbagliata, rispondi a questa e-mail; puoi anche rivolgerti a un organismo certificato di risoluzione extragiudiziale delle controversie o a un tribunale.',
      },
      { link, label: 'Vedi le tue segnalazioni' },
    ],
  }),
  ko: ({ type, title, acted, url: link }) => ({
    subject: '신고 처리 결과',
    parts: [
      {
        paragraph: `${{ listing: `게시물 "${title}"`, user: '회원', review: '후기', message: '메시지' }[type]}에 대해 알려 주셨습니다. 신고 내용을 검토했습니다.`,
      },
      {
        paragraph: acted ? '규정이나 법률에 어긋난다고 판단하여 조치했습니다.' : '조치가 필요한 점을 찾지 못했습니다.',
      },
      {
        paragraph:
          '살펴 주셔서 감사합니다. 결정이 잘못되었다고 생각하시면 이 메일에 답장해 주세요. 공인된 법정 밖 분쟁 해결 기관이나 법원을 이용할 수도 있습니다.',
      },
      { link, label: '내 신고 보기' },
    ],
  }),
  ja: ({ type, title, acted, url: link }) => ({
    subject: 'ご報告の結果',
    parts: [
      {
        paragraph: `${{ listing: `出品「${title}」`, user: '会員', review: 'レビュー', message: 'メッセージ' }[type]}についてご報告いただきました。内容を確認しました。`,
      },
      {
        paragraph: acted
          ? '規約または法律に反していると判断し、対応しました。'
          : '対応が必要な点は見つかりませんでした。',
      },
      {
        paragraph:
          'お知らせいただきありがとうございます。決定が誤りだと思われる場合は、このメールにご返信ください。認定された裁判外紛争解決機関や裁判所に申し立てることもできます。',
      },
      { link, label: '報告を見る' },
    ],
  }),
};

/** What came of the report `{report_id}`; null when it is gone, with what it was about. */
export async function loadReportDecided({ db, config }: WorkerServices, data: Record<string, unknown>) {
  const report = await findReportToTell(db, reference.parse(data).report_id);
  if (!report) return null;
  return { ...report, url: urlTo(config.site, 'reports', {}) };
}

/** Tells whoever has reported something what was decided about it: `{type, title, acted, url}`. */
export function renderReportDecided(data: Record<string, unknown>, locale: Locale): Message {
  return wording[locale](fields.parse(data));
}
