import type { SecurityWords } from './types.ts';

/** The texts of devices, two-factor sign-in and passkeys, in German. */
export const securityDe: SecurityWords = {
  security: {
    sessions: 'Geräte und Sitzungen',
    sessionsText: 'Wo Sie angemeldet sind.',
    current: 'dieses',
    unknownDevice: 'Unbekanntes Gerät',
    lastUsed: 'zuletzt benutzt',
    end: 'Abmelden',
    twoFactor: 'Anmeldung in zwei Schritten',
    off: 'Schützen Sie Ihr Konto neben dem Passwort mit einem Code, den eine App auf Ihrem Telefon anzeigt.',
    setUp: 'App einrichten',
    scan: 'Scannen Sie dies mit Ihrer Authenticator-App, oder tippen Sie den Schlüssel ein. Geben Sie dann den Code ein, den sie anzeigt.',
    qrCode: 'QR-Code für Ihre Authenticator-App',
    key: 'Schlüssel:',
    code: 'Code der App',
    confirm: 'Einschalten',
    on: 'Eingeschaltet seit {date}. Verbleibende Wiederherstellungscodes: {count}.',
    recovery:
      'Bewahren Sie diese Wiederherstellungscodes dort auf, wo Sie sie ohne Telefon finden: Jeder ersetzt einmal einen Code. Sie werden nur dieses eine Mal angezeigt.',
    proof: 'Ihr Passwort oder ein Code',
    remove: 'Ausschalten',
    passkeys: 'Passkeys verwalten',
    passkeysText: 'Melden Sie sich mit Fingerabdruck, Gesicht oder Bildschirmsperre an, ohne Passwort.',
    passkeyName: 'Name des Passkeys',
    addPasskey: 'Passkey hinzufügen',
    deletePasskey: 'Löschen',
    byPasskey: 'Mit einem Passkey anmelden',
    passkeyFailed: 'Das hat nicht geklappt oder wurde abgebrochen. Bitte versuchen Sie es noch einmal.',
    needsScript: 'Zum Hinzufügen eines Passkeys wird JavaScript gebraucht.',
    codeTitle: 'Code eingeben',
    codeText: 'Geben Sie den Code ein, den Ihre Authenticator-App anzeigt, oder einen Ihrer Wiederherstellungscodes.',
    enrol:
      'Ihre Rolle braucht einen zweiten Faktor. Richten Sie eine App oder einen Passkey ein, um fortzufahren; haben Sie schon einen, melden Sie sich damit an.',
  },
};
