import type { SecurityWords } from './types.ts';

/** The texts of devices, two-factor sign-in and passkeys, in Italian. */
export const securityIt: SecurityWords = {
  security: {
    sessions: 'Dispositivi e sessioni',
    sessionsText: 'Dove hai effettuato l’accesso.',
    current: 'questo',
    unknownDevice: 'Dispositivo sconosciuto',
    lastUsed: 'ultimo utilizzo',
    end: 'Disconnetti',
    twoFactor: 'Verifica in due passaggi',
    off: 'Proteggi il tuo account con un codice mostrato da un’app sul telefono, oltre alla password.',
    setUp: 'Configura un’app',
    scan: 'Scansiona questo codice con la tua app di autenticazione o digita la chiave. Poi inserisci il codice che mostra.',
    qrCode: 'Codice QR per la tua app di autenticazione',
    key: 'Chiave:',
    code: 'Codice',
    confirm: 'Attiva',
    on: 'Attiva dal {date}. Codici di recupero rimasti: {count}.',
    recovery:
      'Conserva questi codici di recupero dove puoi trovarli senza il telefono: ognuno sostituisce un codice una sola volta. Vengono mostrati solo adesso.',
    proof: 'La tua password o un codice',
    remove: 'Disattiva',
    passkeys: 'Le tue passkey',
    passkeysText: 'Accedi con l’impronta, il volto o il blocco dello schermo, senza password.',
    passkeyName: 'Nome della passkey',
    addPasskey: 'Aggiungi una passkey',
    deletePasskey: 'Elimina',
    byPasskey: 'Accedi con una passkey',
    passkeyFailed: 'Non ha funzionato o è stato annullato. Riprova.',
    needsScript: 'Per aggiungere una passkey serve JavaScript.',
    codeTitle: 'Inserisci il codice',
    codeText: 'Inserisci il codice mostrato dalla tua app di autenticazione o uno dei tuoi codici di recupero.',
    enrol:
      'Il tuo ruolo richiede un secondo fattore. Configura un’app o una passkey per continuare; se ne hai già uno, accedi con quello.',
  },
};
