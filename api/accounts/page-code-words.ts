import type { Locale } from '../../shared/profiles/profile.ts';
import type { CodeWords } from './page-content.ts';

/** How the account page asks for the code of an authenticator app, in each language. */
export const codeWords: Record<Locale, CodeWords> = {
  en: {
    label: 'Code of your authenticator app, or a recovery code',
    needed: 'This account asks for a code as well.',
    wrong: 'The code is wrong, has expired or was used before.',
  },
  es: {
    label: 'Código de tu aplicación de autenticación, o un código de recuperación',
    needed: 'Esta cuenta pide también un código.',
    wrong: 'El código no es correcto, ha caducado o ya se ha usado.',
  },
  fr: {
    label: 'Code de votre application d’authentification, ou un code de secours',
    needed: 'Ce compte demande aussi un code.',
    wrong: 'Le code est incorrect, expiré ou déjà utilisé.',
  },
  de: {
    label: 'Code Ihrer Authenticator-App oder ein Wiederherstellungscode',
    needed: 'Dieses Konto verlangt auch einen Code.',
    wrong: 'Der Code ist falsch, abgelaufen oder wurde schon benutzt.',
  },
  it: {
    label: 'Codice della tua app di autenticazione, o un codice di recupero',
    needed: 'Questo account richiede anche un codice.',
    wrong: 'Il codice è errato, scaduto o già usato.',
  },
  ko: {
    label: '인증 앱의 코드 또는 복구 코드',
    needed: '이 계정은 코드도 필요합니다.',
    wrong: '코드가 틀렸거나 만료되었거나 이미 사용되었습니다.',
  },
  ja: {
    label: '認証アプリのコード、または回復コード',
    needed: 'このアカウントにはコードも必要です。',
    wrong: 'コードが正しくないか、期限切れか、使用済みです。',
  },
};
