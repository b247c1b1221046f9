import { z } from 'zod';
import type { Locale } from '../../shared/profiles/profile.ts';
import { oddity } from '../../shared/scrapers/oddity.ts';
import type { WorkerServices } from '../services.ts';
import type { Message, Part, Wording } from './layout.ts';
import { oddityLine } from './oddity-words.ts';

const reference = z.object({ run_id: z.string(), oddities: z.array(oddity) });
const fields = z.object({
  name: z.string(),
  site: z.string(),
  is_feed: z.boolean(),
  oddities: z.array(oddity),
  url: z.url({ protocol: /^https?$/ }),
});

type Values = Pick<z.infer<typeof fields>, 'name' | 'site' | 'url'> & { isFeed: boolean; lines: Part };

const wording: Wording<Values> = {
  en: ({ name, site, url, isFeed, lines }) => ({
    subject: `A scraper needs you: ${name}`,
    parts: [
      { paragraph: `What the scraper "${name}" has read on ${site} is unlike what it read before:` },
      lines,
      {
        paragraph:
          'The run is in quarantine: it publishes and withdraws nothing, and neither do later ones that are like it.',
      },
      { link: url, label: 'See the run' },
      {
        paragraph: isFeed
          ? 'There you can accept it, if the feed really is like this now; else its mapping may need a change.'
          : 'There you can have the site learnt again, if its pages are built in another way now, or accept the run, if it is right.',
      },
    ],
  }),
  es: ({ name, site, url, isFeed, lines }) => ({
    subject: `Un scraper requiere tu atención: ${name}`,
    parts: [
      { paragraph: `Lo que el scraper «${name}» ha leído en ${site} no se parece a lo que leía antes:` },
      lines,
      {
        paragraph:
          'La ejecución está en cuarentena: no publica ni retira nada, y tampoco lo harán las siguientes que se le parezcan.',
      },
      { link: url, label: 'Ver la ejecución' },
      {
        paragraph: isFeed
          ? 'Allí puedes aceptarla, si el feed es realmente así ahora; si no, quizá haya que cambiar su asignación de campos.'
          : 'Allí puedes hacer que se aprenda de nuevo el sitio, si sus páginas han cambiado, o aceptar la ejecución, si es correcta.',
      },
    ],
  }),
  fr: ({ name, site, url, isFeed, lines }) => ({
    subject: `Un scraper requiert votre attention : ${name}`,
    parts: [
      { paragraph: `Ce que le scraper « ${name} » a lu sur ${site} ne ressemble pas à ce qu'il lisait auparavant :` },
      lines,
      {
        paragraph:
          "L'exécution est en quarantaine : elle ne publie et ne retire rien, pas plus que les suivantes qui lui ressembleraient.",
      },
      { link: url, label: "Voir l'exécution" },
      {
        paragraph: isFeed
          ? "Vous pouvez l'y accepter, si le flux est réellement ainsi désormais ; sinon, sa correspondance de champs est peut-être à revoir."
          : "Vous pouvez y faire réapprendre le site, si ses pages sont construites autrement désormais, ou accepter l'exécution, si elle est juste.",
      },
    ],
  }),
  de: ({ name, site, url, isFeed, lines }) => ({
    subject: `Ein Scraper braucht Sie: ${name}`,
    parts: [
      { paragraph: `Was der Scraper „${name}“ auf ${site} gelesen hat, ist anders als bisher:` },
      lines,
      {
        paragraph:
          'Der Lauf ist in Quarantäne: Er veröffentlicht nichts und nimmt nichts zurück, ebenso wenig wie spätere, die ihm gleichen.',
      },
      { link: url, label: 'Den Lauf ansehen' },
      {
        paragraph: isFeed
          ? 'Dort können Sie ihn annehmen, wenn der Feed jetzt wirklich so ist; sonst ist vielleicht seine Zuordnung zu ändern.'
          : 'Dort können Sie die Website neu lernen lassen, wenn ihre Seiten jetzt anders aufgebaut sind, oder den Lauf annehmen, wenn er stimmt.',
      },
    ],
  }),
  it: ({ name, site, url, isFeed, lines }) => ({
    subject: `Uno scraper richiede la tua attenzione: ${name}`,
    parts: [
      { paragraph: `Ciò che lo scraper «${name}» ha letto su ${site} è diverso da quanto leggeva prima:` },
      lines,
      {
        paragraph:
          "L'esecuzione è in quarantena: non pubblica e non ritira nulla, e lo stesso vale per le successive che le somigliano.",
      },
      { link: url, label: "Vedi l'esecuzione" },
      {
        paragraph: isFeed
          ? 'Lì puoi accettarla, se il feed ora è davvero così; altrimenti forse va modificata la sua mappatura.'
          : "Lì puoi far imparare di nuovo il sito, se le sue pagine sono ora costruite diversamente, o accettare l'esecuzione, se è corretta.",
      },
    ],
  }),
  ko: ({ name, site, url, isFeed, lines }) => ({
    subject: `스크래퍼 확인이 필요합니다: ${name}`,
    parts: [
      { paragraph: `스크래퍼 "${name}"이(가) ${site}에서 읽은 내용이 이전과 다릅니다:` },
      lines,
      {
        paragraph: '이 실행은 격리되었습니다. 아무것도 게시하거나 내리지 않으며, 이후의 비슷한 실행도 마찬가지입니다.',
      },
      { link: url, label: '실행 보기' },
      {
        paragraph: isFeed
          ? '피드가 실제로 이렇게 바뀌었다면 여기에서 승인하실 수 있습니다. 그렇지 않다면 매핑을 수정해야 할 수 있습니다.'
          : '페이지 구성이 바뀌었다면 여기에서 사이트를 다시 학습시키고, 내용이 맞다면 실행을 승인하실 수 있습니다.',
      },
    ],
  }),
  ja: ({ name, site, url, isFeed, lines }) => ({
    subject: `スクレイパーの確認が必要です: ${name}`,
    parts: [
      { paragraph: `スクレイパー「${name}」が${site}で読み取った内容が、これまでと異なります:` },
      lines,
      {
        paragraph: 'この実行は隔離されています。何も公開せず、何も取り下げません。これに似た以降の実行も同じです。',
      },
      { link: url, label: '実行を見る' },
      {
        paragraph: isFeed
          ? 'フィードが実際にこのように変わったのであれば、そこで承認できます。そうでなければ、マッピングの変更が必要かもしれません。'
          : 'ページの構成が変わったのであれば、そこでサイトを学習し直せます。内容が正しければ、実行を承認できます。',
      },
    ],
  }),
};

/** Tells an administrator that a run is in quarantine, and why: `{name, site, is_feed, oddities, url}`. */
export function renderScraperQuarantined(data: Record<string, unknown>, locale: Locale): Message {
  const { oddities, is_feed: isFeed, ...values } = fields.parse(data);
  const lines = { quote: oddities.map((odd) => oddityLine(odd, locale)).join('\n') };
  return wording[locale]({ ...values, isFeed, lines });
}

/** The run as it is now; null when it was accepted since, undefined when it is gone. */
export async function loadScraperQuarantined(
  { db, config }: Pick<WorkerServices, 'db' | 'config'>,
  data: Record<string, unknown>,
): Promise<z.infer<typeof fields> | undefined | null> {
  const { run_id: runId, oddities } = reference.parse(data);
  const row = await db
    .selectFrom('run_findings as f')
    .innerJoin('runs as r', 'r.id', 'f.run_id')
    .innerJoin('scrapers as s', 's.id', 'r.subject')
    .select(['s.id', 's.name', 's.site', 's.kind', 'f.accepted_at'])
    .where('f.run_id', '=', runId)
    .executeTakeFirst();
  if (!row) return undefined;
  if (row.accepted_at !== null) return null;
  const { id, name, site, kind } = row;
  const url = `${config.baseUrl}/admin#/scrapers?${new URLSearchParams({ run: `${id} ${runId}` }).toString()}`;
  return { name, site, is_feed: kind === 'feed', oddities, url };
}
