import type { StatementWords } from './types.ts';

/** The sentences of a statement of reasons in Italian. */
export const statementIt: StatementWords = {
  restrictions: {
    listing_hidden: 'Abbiamo nascosto il tuo annuncio «{title}».',
    listing_removed: 'Abbiamo rimosso il tuo annuncio «{title}».',
    review_removed: 'Abbiamo rimosso una recensione che hai scritto.',
    message_removed: 'Abbiamo rimosso un messaggio che hai inviato.',
    warning: 'Questo è un avvertimento che riguarda {subject}.',
    account_suspended: 'Abbiamo sospeso il tuo account.',
  },
  subjects: {
    listing: 'il tuo annuncio «{title}»',
    user: 'il tuo account',
    review: 'una recensione che hai scritto',
    message: 'un messaggio che hai inviato',
  },
  grounds: {
    terms: "È contrario alle nostre condizioni d'uso: {rule}.",
    law: 'Riteniamo che sia contrario alla legge: {rule}.',
  },
  rules: {
    spam: 'spam',
    fraud: 'frode',
    inappropriate: 'contenuto inappropriato',
    duplicate: 'un doppione',
    illegal: 'contenuto illegale',
    other: "un'altra regola",
  },
  until: 'Vale ovunque il nostro servizio sia raggiungibile, fino al {date}.',
  open: 'Vale ovunque il nostro servizio sia raggiungibile, senza data di fine, salvo revoca.',
  nothing: 'Nulla è stato limitato.',
  reported: 'Più persone lo hanno segnalato.',
  checked: 'Lo abbiamo esaminato e constatato che non può restare.',
  onReports: 'La decisione si basa su segnalazioni di altre persone.',
  onChecks: 'La decisione si basa sulle nostre verifiche.',
  automated: 'È stato rilevato e deciso automaticamente, in base al numero di segnalazioni. Lo esaminerà una persona.',
  suspected: 'Controlli automatici hanno trovato segni frequenti nelle truffe.',
  automatedBySigns: 'È stato rilevato e deciso automaticamente, in base a questi segni. Lo esaminerà una persona.',
  manual: 'Ha deciso una persona. Nulla è stato rilevato o deciso automaticamente.',
  appeal:
    'Puoi presentare reclamo gratuitamente fino al {date}, nella pagina dei tuoi avvisi. Puoi anche rivolgerti a un organismo certificato di risoluzione extragiudiziale delle controversie o a un tribunale.',
  appealByMail:
    'Puoi presentare reclamo gratuitamente fino al {date}, rispondendo alla nostra e-mail. Puoi anche rivolgerti a un organismo certificato di risoluzione extragiudiziale delle controversie o a un tribunale.',
};
