import type { StatementWords } from './types.ts';

/** The sentences of a statement of reasons in German. */
export const statementDe: StatementWords = {
  restrictions: {
    listing_hidden: 'Wir haben Ihre Anzeige „{title}“ ausgeblendet.',
    listing_removed: 'Wir haben Ihre Anzeige „{title}“ entfernt.',
    review_removed: 'Wir haben eine Bewertung entfernt, die Sie geschrieben haben.',
    message_removed: 'Wir haben eine Nachricht entfernt, die Sie gesendet haben.',
    warning: 'Dies ist eine Verwarnung. Sie betrifft {subject}.',
    account_suspended: 'Wir haben Ihr Konto gesperrt.',
  },
  subjects: {
    listing: 'Ihre Anzeige „{title}“',
    user: 'Ihr Konto',
    review: 'eine Bewertung, die Sie geschrieben haben',
    message: 'eine Nachricht, die Sie gesendet haben',
  },
  grounds: {
    terms: 'Es verstößt gegen unsere Nutzungsbedingungen: {rule}.',
    law: 'Wir halten es für rechtswidrig: {rule}.',
  },
  rules: {
    spam: 'Spam',
    fraud: 'Betrug',
    inappropriate: 'unangemessener Inhalt',
    duplicate: 'Dublette',
    illegal: 'rechtswidriger Inhalt',
    other: 'eine andere Regel',
  },
  until: 'Das gilt überall, wo unser Dienst erreichbar ist, bis zum {date}.',
  open: 'Das gilt überall, wo unser Dienst erreichbar ist, ohne Enddatum, solange es nicht aufgehoben wird.',
  nothing: 'Eingeschränkt wurde nichts.',
  reported: 'Mehrere Personen haben sie gemeldet.',
  checked: 'Wir haben sie geprüft und festgestellt, dass sie nicht bleiben kann.',
  onReports: 'Die Entscheidung beruht auf Meldungen anderer.',
  onChecks: 'Die Entscheidung beruht auf unserer eigenen Prüfung.',
  automated: 'Erkannt und entschieden wurde automatisch, nach der Zahl der Meldungen. Ein Mensch wird es sich ansehen.',
  suspected: 'Automatische Prüfungen haben Anzeichen gefunden, die bei Betrug häufig sind.',
  automatedBySigns:
    'Erkannt und entschieden wurde automatisch, nach solchen Anzeichen. Ein Mensch wird es sich ansehen.',
  manual: 'Ein Mensch hat entschieden. Nichts wurde automatisch erkannt oder entschieden.',
  appeal:
    'Sie können bis zum {date} kostenlos Beschwerde einlegen, auf der Seite Ihrer Mitteilungen. Sie können sich auch an eine zugelassene Stelle für außergerichtliche Streitbeilegung oder an ein Gericht wenden.',
  appealByMail:
    'Sie können bis zum {date} kostenlos Beschwerde einlegen, indem Sie auf unsere Mail antworten. Sie können sich auch an eine zugelassene Stelle für außergerichtliche Streitbeilegung oder an ein Gericht wenden.',
};
