import type { Locale } from '../../shared/profiles/profile.ts';
import { renderPage } from '../http/page.ts';
import type { Handler } from '../handler.ts';
import { contentIn, scriptIn } from './page-content.ts';
import { accountWords } from './page-words.ts';

const pages = new Map<Locale, ReturnType<typeof renderPage>>();

/** The page behind the links of account mails: what its script posts redeems a token, reading it redeems nothing. */
export const getAccountPage: Handler<'getAccountPage'> = (_services, { locale }) => {
  const page = pages.get(locale) ?? renderAccountPage(locale);
  pages.set(locale, page);
  return { status: 200, ...page };
};

function renderAccountPage(locale: Locale) {
  const words = accountWords[locale];
  return renderPage({ locale, title: words.title, content: contentIn(words), script: scriptIn(words) });
}
