import type { SecurityWords } from './types.ts';

/** The texts of devices, two-factor sign-in and passkeys, in French. */
export const securityFr: SecurityWords = {
  security: {
    sessions: 'Appareils et sessions',
    sessionsText: 'Où vous êtes connecté.',
    current: 'celui-ci',
    unknownDevice: 'Appareil inconnu',
    lastUsed: 'dernière utilisation le',
    end: 'Déconnecter',
    twoFactor: 'Connexion en deux étapes',
    off: 'Protégez votre compte par un code qu’affiche une application de votre téléphone, en plus du mot de passe.',
    setUp: 'Configurer une application',
    scan: 'Scannez ceci avec votre application d’authentification, ou saisissez-y la clé. Entrez ensuite le code qu’elle affiche.',
    qrCode: 'QR code pour votre application d’authentification',
    key: 'Clé :',
    code: 'Code de l’application',
    confirm: 'Activer',
    on: 'Activée depuis le {date}. Codes de secours restants : {count}.',
    recovery:
      'Conservez ces codes de secours là où vous les trouverez sans votre téléphone : chacun remplace un code une seule fois. Ils ne sont affichés que cette fois.',
    proof: 'Votre mot de passe ou un code',
    remove: 'Désactiver',
    passkeys: 'Clés d’accès',
    passkeysText: 'Connectez-vous avec votre empreinte, votre visage ou le verrouillage de l’écran, sans mot de passe.',
    passkeyName: 'Nom de la clé d’accès',
    addPasskey: 'Ajouter une clé d’accès',
    deletePasskey: 'Supprimer',
    byPasskey: 'Se connecter avec une clé d’accès',
    passkeyFailed: 'Cela n’a pas fonctionné ou a été annulé. Veuillez réessayer.',
    needsScript: 'JavaScript est nécessaire pour ajouter une clé d’accès.',
    codeTitle: 'Entrez votre code',
    codeText: 'Entrez le code qu’affiche votre application d’authentification, ou l’un de vos codes de secours.',
    enrol:
      'Votre rôle exige un second facteur. Configurez une application ou une clé d’accès pour continuer ; si vous en avez déjà un, connectez-vous avec.',
  },
};
