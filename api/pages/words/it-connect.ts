import type { ConnectWords } from './types.ts';

/** The texts of connecting applications to an account, in Italian. */
export const connectIt: ConnectWords = {
  connect: {
    title: 'Collegare {app}?',
    text: '{app} vuole agire per te su {brand}. Hai effettuato l’accesso come {email}.',
    leads: {
      host: 'La tua risposta verrà inviata a {host}.',
      loopback: 'La tua risposta verrà inviata a un programma su questo computer ({host}).',
      app: 'La tua risposta verrà inviata a un’applicazione su questo dispositivo, tramite indirizzi che iniziano con {host}:',
    },
    unverified: 'L’applicazione ha scelto da sé il proprio nome. Accetta solo se le hai appena chiesto di collegarsi.',
    may: 'Potrà',
    scopes: {
      read: 'vedere il tuo account: annunci, messaggi, preferiti e prenotazioni (sempre)',
      'listings:write': 'modificare bozze, annunci, foto, preferiti e ricerche salvate',
      messages: 'scrivere messaggi, prenotazioni e recensioni a tuo nome e configurare webhook',
      publish: 'pubblicare annunci, offrire noleggi e ordinare promozioni a pagamento',
      admin: 'gestire l’intero marketplace, con tutto ciò che precede',
    },
    moderate: 'decidere su annunci, segnalazioni e doppioni, con tutto ciò che precede',
    allow: 'Consenti',
    deny: 'Non consentire',
    end: 'Puoi scollegarla in qualsiasi momento dal tuo account.',
    refused: 'Questa applicazione non può essere collegata',
    unknownText:
      'Non è registrata qui, o non lo è più, oppure ha indicato un indirizzo che non è suo. Rimuovi il collegamento nell’applicazione e aggiungilo di nuovo.',
    invalidText: 'L’applicazione ha fatto una richiesta che questo sito non supporta. Non è stato consentito nulla.',
    back: 'Torna all’applicazione',
    applications: 'Applicazioni collegate',
    applicationsText: 'Agenti e programmi a cui hai consentito di agire per te.',
    used: 'ultimo utilizzo: {date}',
    disconnect: 'Scollega',
  },
};
