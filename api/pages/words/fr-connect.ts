import type { ConnectWords } from './types.ts';

/** The texts of connecting applications to an account, in French. */
export const connectFr: ConnectWords = {
  connect: {
    title: 'Connecter {app} ?',
    text: '{app} souhaite agir pour vous sur {brand}. Vous êtes connecté avec {email}.',
    leads: {
      host: 'Votre réponse sera envoyée à {host}.',
      loopback: 'Votre réponse sera envoyée à un programme de cet ordinateur ({host}).',
      app: 'Votre réponse sera envoyée à une application de cet appareil, par des adresses dont le début est {host}',
    },
    unverified:
      'L’application a choisi son nom elle-même. N’acceptez que si vous venez de lui demander de se connecter.',
    may: 'Elle pourra',
    scopes: {
      read: 'voir votre compte : annonces, messages, favoris et réservations (toujours)',
      'listings:write': 'modifier vos brouillons, annonces, photos, favoris et recherches enregistrées',
      messages: 'écrire des messages, des réservations et des avis en votre nom, et configurer des webhooks',
      publish: 'publier des annonces, proposer des locations et commander des mises en avant payantes',
      admin: 'administrer toute la place de marché, avec tout ce qui précède',
    },
    moderate: 'décider des annonces, des signalements et des doublons, avec tout ce qui précède',
    allow: 'Autoriser',
    deny: 'Ne pas autoriser',
    end: 'Vous pouvez la déconnecter à tout moment dans votre compte.',
    refused: 'Cette application ne peut pas être connectée',
    unknownText:
      'Elle n’est pas ou plus enregistrée ici, ou elle a donné une adresse qui n’est pas la sienne. Supprimez la connexion dans l’application, puis ajoutez-la de nouveau.',
    invalidText: 'L’application a fait une demande que ce site ne prend pas en charge. Rien n’a été autorisé.',
    back: 'Revenir à l’application',
    applications: 'Applications connectées',
    applicationsText: 'Agents et programmes que vous avez autorisés à agir pour vous.',
    used: 'dernière utilisation : {date}',
    disconnect: 'Déconnecter',
  },
};
