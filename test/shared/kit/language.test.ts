import { expect, test } from 'vitest';
import { detectLanguage } from '../../../shared/kit/language.ts';

test.each([
  ['en', 'Well kept cruising yacht with new sails, a teak deck and a reliable diesel engine'],
  ['es', 'Vendo velero de once metros en perfecto estado, con motor revisado este año'],
  ['fr', 'Vends voilier de onze mètres en parfait état, moteur révisé cette année'],
  ['de', 'Gepflegtes Segelboot mit neuem Motor und vielen Extras, der Liegeplatz kann übernommen werden'],
  ['it', 'Vendo barca a vela di undici metri in perfette condizioni con motore revisionato'],
  ['ko', '2015년식 요트 판매합니다. 상태 매우 좋습니다.'],
  ['ja', 'ヨットを売ります。状態は良好です。Yanmar製エンジン。'],
  ['sv', 'Säljer vår fina segelbåt med ny motor och nya segel, båten ligger i Göteborg'],
  ['zh', '中古帆船出售，状况良好，价格可议'],
])('recognises %s', async (language, text) => {
  expect(await detectLanguage(text)).toBe(language);
});

test.each(['', 'Bavaria 46 Cruiser', 'Yanmar 3YM30', '12.5 x 3.9 x 1.8', '🚤🚤🚤🚤🚤🚤🚤🚤🚤'])(
  "does not guess the language of '%s'",
  async (text) => {
    expect(await detectLanguage(text)).toBeUndefined();
  },
);

test('a few Japanese words do not make an English text Japanese', async () => {
  const text = 'The boat is named 波の音 and comes with a complete set of sails and a new engine from last year';
  expect(await detectLanguage(text)).toBe('en');
});
