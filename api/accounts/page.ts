import { renderPage } from '../http/page.ts';
import type { Handler } from '../handler.ts';
import { contentIn, scriptIn } from './page-content.ts';
import { accountWords } from './page-words.ts';

/** The page behind the links of account mails: what its script posts redeems a token, reading it redeems nothing. */
export const getAccountPage: Handler<'getAccountPage'> = ({ config }, { locale }) => {
  const words = accountWords[locale];
  const page = { locale, title: words.title, content: contentIn(words), script: scriptIn(words) };
  return { status: 200, ...renderPage(config, page) };
};
