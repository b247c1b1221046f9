import type { StatementWords } from './types.ts';

/** The sentences of a statement of reasons in French. */
export const statementFr: StatementWords = {
  restrictions: {
    listing_hidden: 'Nous avons masqué votre annonce « {title} ».',
    listing_removed: 'Nous avons retiré votre annonce « {title} ».',
    review_removed: 'Nous avons retiré un avis que vous avez écrit.',
    message_removed: 'Nous avons retiré un message que vous avez envoyé.',
    warning: 'Ceci est un avertissement concernant {subject}.',
    account_suspended: 'Nous avons suspendu votre compte.',
  },
  subjects: {
    listing: 'votre annonce « {title} »',
    user: 'votre compte',
    review: 'un avis que vous avez écrit',
    message: 'un message que vous avez envoyé',
  },
  grounds: {
    terms: "C'est contraire à nos conditions d'utilisation : {rule}.",
    law: "Nous estimons que c'est contraire à la loi : {rule}.",
  },
  rules: {
    spam: 'contenu indésirable',
    fraud: 'fraude',
    inappropriate: 'contenu inapproprié',
    duplicate: 'doublon',
    illegal: 'contenu illicite',
    other: 'autre règle',
  },
  until: "Cette mesure s'applique partout où notre service est accessible, jusqu'au {date}.",
  open: "Cette mesure s'applique partout où notre service est accessible, sans date de fin, sauf si elle est levée.",
  nothing: "Rien n'a été restreint.",
  reported: "Plusieurs personnes l'ont signalé.",
  checked: "Nous l'avons examiné et constaté qu'il ne peut pas rester en ligne.",
  onReports: "La décision repose sur des signalements d'autres personnes.",
  onChecks: 'La décision repose sur nos propres vérifications.',
  automated:
    "Elle a été détectée et décidée automatiquement, d'après le nombre de signalements. Une personne l'examinera.",
  suspected: 'Des contrôles automatiques ont relevé des signes fréquents dans les escroqueries.',
  automatedBySigns: 'La détection et la décision ont été automatiques, d’après ces signes. Une personne va l’examiner.',
  manual: "Une personne a décidé. Rien n'a été détecté ni décidé automatiquement.",
  appeal:
    "Vous pouvez faire appel gratuitement jusqu'au {date}, sur la page de vos notifications. Vous pouvez aussi saisir un organe certifié de règlement extrajudiciaire des litiges ou un tribunal.",
  appealByMail:
    "Vous pouvez faire appel gratuitement jusqu'au {date}, en répondant à notre e-mail. Vous pouvez aussi saisir un organe certifié de règlement extrajudiciaire des litiges ou un tribunal.",
};
