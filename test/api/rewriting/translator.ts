import type { AiMood, AiServerRequest } from '../../support/openai-server.ts';
import { listingBody } from '../../support/listing-bodies.ts';

type Words = (hull: string, berth: string) => { title: string; description: string };

/** What listingBody says, in each language. */
const languages = new Map<string, Words>([
  [
    'English',
    (hull, berth) => ({
      title: `Bavaria Cruiser 46, hull no. ${hull}`,
      description: `A cruising yacht kept well by her first owner, at berth number ${berth}; the sails were renewed last spring.`,
    }),
  ],
  [
    'German',
    (hull, berth) => ({
      title: `Bavaria Cruiser 46, Rumpf ${hull}`,
      description: `Gut gepflegte Fahrtenyacht aus erster Hand, Liegeplatz Nummer ${berth}, die Segel wurden im letzten Frühjahr erneuert.`,
    }),
  ],
  [
    'Spanish',
    (hull, berth) => ({
      title: `Bavaria Cruiser 46, casco ${hull}`,
      description: `Velero de crucero muy bien cuidado, de primera mano, amarre número ${berth}, velas renovadas la primavera pasada.`,
    }),
  ],
  [
    'French',
    (hull, berth) => ({
      title: `Bavaria Cruiser 46, coque ${hull}`,
      description: `Voilier de croisière bien entretenu, de première main, place numéro ${berth}, voiles refaites au printemps dernier.`,
    }),
  ],
  [
    'Italian',
    (hull, berth) => ({
      title: `Bavaria Cruiser 46, scafo ${hull}`,
      description: `Barca da crociera ben tenuta, di prima mano, posto barca numero ${berth}, vele rinnovate la scorsa primavera.`,
    }),
  ],
  [
    'Korean',
    (hull, berth) => ({
      title: `Bavaria Cruiser 46, 선체 ${hull}`,
      description: `첫 소유자가 잘 관리한 크루징 요트입니다. 계류장 번호 ${berth}, 지난봄에 돛을 새로 교체했습니다.`,
    }),
  ],
  [
    'Japanese',
    (hull, berth) => ({
      title: `Bavaria Cruiser 46、艇番号${hull}`,
      description: `ワンオーナーで丁寧に手入れされたクルージングヨットです。係留番号${berth}、帆は昨年の春に新調しました。`,
    }),
  ],
]);

const seo = {
  meta_title: 'Bavaria Cruiser 46',
  meta_description: 'A well kept cruising yacht.',
  keywords: ['yacht', 'Bavaria'],
};

/** The language that a request is for, and the words that go with its listing. */
export function wordsOf(request: AiServerRequest): ReturnType<Words> & { language: string } {
  const instructions = JSON.stringify(request.body.messages[0]?.content);
  const language = [...languages.keys()].find((name) => instructions.includes(`in ${name}`)) ?? '';
  const material = JSON.stringify(request.body.messages[1]);
  const hull = /hull (\d+)/.exec(material)?.[1] ?? '';
  const berth = /berth number (\d+)/.exec(material)?.[1] ?? '';
  return { language, ...(languages.get(language)?.(hull, berth) ?? { title: '', description: '' }) };
}

/** Answers as a good provider does; `change` makes something of the answer. */
export function translate(request: AiServerRequest, change: Record<string, unknown> = {}): AiMood {
  const isSeo = request.body.response_format.json_schema?.name === 'listing_seo';
  const { title, description } = wordsOf(request);
  const hasLongText = JSON.stringify(request.body.messages[1]).includes('long_description');
  const texts = isSeo ? {} : { title, description, long_description: hasLongText ? description : null };
  return { json: { ...texts, ...seo, ...change } };
}

/** A listing that the translator knows. */
export const translatable = () => listingBody({ attributes: { brand: 'Bavaria', model: 'Cruiser 46' } });
