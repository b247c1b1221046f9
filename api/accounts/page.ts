import { renderPage } from '../http/page.ts';
import type { Handler } from '../handler.ts';
import { codeWords } from './page-code-words.ts';
import { contentIn, scriptIn } from './page-content.ts';
import { accountWords } from './page-words.ts';

/** The page for a token of an account mail: what its script posts redeems it, reading the page redeems nothing. */
export const getAccountPage: Handler<'getAccountPage'> = ({ config }, { locale }) => {
  const [words, code] = [accountWords[locale], codeWords[locale]];
  const page = { locale, title: words.title, content: contentIn(words, code), script: scriptIn(words, code) };
  return { status: 200, ...renderPage(config, page) };
};
