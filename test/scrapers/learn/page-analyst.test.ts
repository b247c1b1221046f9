import { expect, test } from 'vitest';
import { createPageAnalyst } from '../../../scrapers/learn/page-analyst.ts';
import { readConfig } from '../../../shared/kit/config.ts';
import { readMarketplace } from '../../../shared/profiles/read-profile.ts';
import { inThisProcess } from '../isolation.ts';
import { list } from './boat-site.ts';

test('the thread of a learning answers what is read of its pages', async () => {
  const marketplace = await readMarketplace(readConfig({}));
  const start = 'https://boats.example/for-sale';
  const page = { url: start, html: list(0) };
  const ask = async (createAnalyst: typeof createPageAnalyst) => {
    const analyst = createAnalyst(marketplace);
    const answers = [
      await analyst.ask('plan', { pages: [page], asked: [start] }),
      await analyst.ask('isEmptyWithoutScripts', page),
      await analyst.ask('outline', page),
      await analyst.ask('propose', { start, pages: [page] }),
    ];
    await analyst.close();
    return answers;
  };
  const answers = await ask(createPageAnalyst);
  expect(answers[0]).not.toEqual([]);
  expect(answers).toEqual(await ask(inThisProcess.createPageAnalyst));
});
