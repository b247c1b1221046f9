import { renderPage } from '../http/page.ts';
import type { Handler } from '../http/types.ts';
import { content, script } from './page-content.ts';

const page = renderPage({ title: 'Your Quayside account', content, script });

/** The page behind the links of account mails: what its script posts redeems a token, reading it redeems nothing. */
export const getAccountPage: Handler<'getAccountPage'> = () => ({ status: 200, ...page });
