import { z } from 'zod';
import { urlTo } from '../../shared/kit/site-links.ts';
import type { Locale } from '../../shared/profiles/profile.ts';
import type { WorkerServices } from '../services.ts';
import type { Message, Part, Wording } from './layout.ts';

const reference = z.object({ appeal_id: z.string() });
const fields = z.object({
  granted: z.boolean(),
  answer: z.string().nullable(),
  url: z.url({ protocol: /^https?$/ }),
});

type Values = z.infer<typeof fields>;

const quoted = (answer: string | null): Part[] => (answer === null ? [] : [{ quote: answer }]);

const wording: Wording<Values> = {
  en: ({ granted, answer, url: link }) => ({
    subject: `Your appeal: ${granted ? 'granted' : 'refused'}`,
    parts: [
      {
        paragraph: granted
          ? 'We have looked again at our decision, and you were right: the restriction is lifted.'
          : 'We have looked again at our decision, and it stands.',
      },
      ...quoted(answer),
      ...(granted
        ? []
        : [{ paragraph: 'You can turn to a certified out-of-court dispute settlement body, or to a court.' }]),
      { link, label: 'See your notices' },
    ],
  }),
  es: ({ granted, answer, url: link }) => ({
    subject: `Tu recurso: ${granted ? 'aceptado' : 'rechazado'}`,
    parts: [
      {
        paragraph: granted
          ? 'Hemos revisado de nuevo nuestra decisión y tenías razón: la restricción queda levantada.'
          : 'Hemos revisado de nuevo nuestra decisión y la mantenemos.',
      },
      ...quoted(answer),
      ...(granted
        ? []
        : [
            {
              paragraph:
                'Puedes acudir a un órgano certificado de resolución extrajudicial de litigios o a los tribunales.',
            },
          ]),
      { link, label: 'Ver tus avisos' },
    ],
  }),
  fr: ({ granted, answer, url: link }) => ({
    subject: `Votre appel : ${granted ? 'accepté' : 'rejeté'}`,
    parts: [
      {
        paragraph: granted
          ? 'Nous avons réexaminé notre décision et vous aviez raison : la restriction est levée.'
          : 'Nous avons réexaminé notre décision et nous la maintenons.',
      },
      ...quoted(answer),
      ...(granted
        ? []
        : [
            {
              paragraph:
                'Vous pouvez saisir un organe certifié de règlement extrajudiciaire des litiges ou un tribunal.',
            },
          ]),
      { link, label: 'Voir vos notifications' },
    ],
  }),
  de: ({ granted, answer, url: link }) => ({
    subject: `Ihre Beschwerde: ${granted ? 'stattgegeben' : 'abgelehnt'}`,
    parts: [
      {
        paragraph: granted
          ? 'Wir haben unsere Entscheidung noch einmal geprüft, und Sie hatten recht: Die Einschränkung ist aufgehoben.'
          : 'Wir haben unsere Entscheidung noch einmal geprüft, und sie bleibt bestehen.',
      },
      ...quoted(answer),
      ...(granted
        ? []
        : [
            {
              paragraph:
                'Sie können sich an eine zugelassene Stelle für außergerichtliche Streitbeilegung oder an ein Gericht wenden.',
            },
          ]),
      { link, label: 'Ihre Mitteilungen ansehen' },
    ],
  }),
  it: ({ granted, answer, url: link }) => ({
    subject: `Il tuo reclamo: ${granted ? 'accolto' : 'respinto'}`,
    parts: [
      {
        paragraph: granted
          ? 'Abbiamo riesaminato la nostra decisione e avevi ragione: la limitazione è revocata.'
          : 'Abbiamo riesaminato la nostra decisione e la confermiamo.',
      },
      ...quoted(answer),
      ...(granted
        ? []
        : [
            {
              paragraph:
                'Puoi rivolgerti a un organismo certificato di risoluzione extragiudiziale delle controversie o a un tribunale.',
            },
          ]),
      { link, label: 'Vedi i tuoi avvisi' },
    ],
  }),
  ko: ({ granted, answer, url: link }) => ({
    subject: `이의 제기 결과: ${granted ? '수용' : '기각'}`,
    parts: [
      {
        paragraph: granted
          ? '결정을 다시 검토한 결과 회원님의 말씀이 옳았습니다. 제한을 해제했습니다.'
          : '결정을 다시 검토했으며, 결정을 유지합니다.',
      },
      ...quoted(answer),
      ...(granted ? [] : [{ paragraph: '공인된 법정 밖 분쟁 해결 기관이나 법원을 이용할 수 있습니다.' }]),
      { link, label: '내 알림 보기' },
    ],
  }),
  ja: ({ granted, answer, url: link }) => ({
    subject: `異議申し立ての結果: ${granted ? '認められました' : '認められませんでした'}`,
    parts: [
      {
        paragraph: granted
          ? '決定を再確認した結果、ご指摘のとおりでした。制限を解除しました。'
          : '決定を再確認しましたが、変更はありません。',
      },
      ...quoted(answer),
      ...(granted ? [] : [{ paragraph: '認定された裁判外紛争解決機関や裁判所に申し立てることができます。' }]),
      { link, label: 'お知らせを見る' },
    ],
  }),
};

/** How the appeal `{appeal_id}` was decided; undefined when there is no such decision. */
export async function loadAppealDecided({ db, config }: WorkerServices, data: Record<string, unknown>) {
  const appeal = await db
    .selectFrom('appeals')
    .select(['outcome', 'answer'])
    .where('id', '=', reference.parse(data).appeal_id)
    .where('outcome', 'is not', null)
    .executeTakeFirst();
  if (!appeal) return undefined;
  return { granted: appeal.outcome === 'granted', answer: appeal.answer, url: urlTo(config.site, 'notices', {}) };
}

/** Tells somebody how their appeal was decided: `{granted, answer, url}`. */
export function renderAppealDecided(data: Record<string, unknown>, locale: Locale): Message {
  return wording[locale](fields.parse(data));
}
