import type { ConnectWords } from './types.ts';

/** The texts of connecting applications to an account, in German. */
export const connectDe: ConnectWords = {
  connect: {
    title: '{app} verbinden?',
    text: '{app} möchte bei {brand} für Sie handeln. Sie sind als {email} angemeldet.',
    leads: {
      host: 'Ihre Antwort geht an {host}.',
      loopback: 'Ihre Antwort geht an ein Programm auf diesem Rechner ({host}).',
      app: 'Ihre Antwort geht an eine Anwendung auf diesem Gerät, über Adressen, die mit {host}: beginnen',
    },
    unverified:
      'Die Anwendung hat sich ihren Namen selbst gegeben. Stimmen Sie nur zu, wenn Sie die Verbindung gerade selbst begonnen haben.',
    may: 'Sie darf',
    scopes: {
      read: 'Ihr Konto sehen: Anzeigen, Nachrichten, Favoriten und Buchungen (immer)',
      'listings:write': 'Ihre Entwürfe, Anzeigen, Fotos, Favoriten und gespeicherten Suchen ändern',
      messages: 'in Ihrem Namen Nachrichten, Buchungen und Bewertungen schreiben und Webhooks einrichten',
      publish: 'Anzeigen veröffentlichen, Boote vermieten und bezahlte Hervorhebungen bestellen',
      admin: 'den ganzen Marktplatz verwalten, mit allem, was darüber steht',
    },
    moderate: 'über Anzeigen, Meldungen und Dubletten entscheiden, mit allem, was darüber steht',
    allow: 'Erlauben',
    deny: 'Nicht erlauben',
    end: 'In Ihrem Konto können Sie die Verbindung jederzeit trennen.',
    refused: 'Diese Anwendung kann nicht verbunden werden',
    unknownText:
      'Sie ist hier nicht oder nicht mehr registriert, oder sie hat eine fremde Adresse genannt. Entfernen Sie die Verbindung in der Anwendung und fügen Sie sie neu hinzu.',
    invalidText: 'Die Anwendung hat auf eine Weise gefragt, die hier nicht unterstützt wird. Es wurde nichts erlaubt.',
    back: 'Zurück zur Anwendung',
    applications: 'Verbundene Anwendungen',
    applicationsText: 'Agenten und Programme, denen Sie erlaubt haben, für Sie zu handeln.',
    used: 'zuletzt benutzt {date}',
    disconnect: 'Trennen',
  },
};
