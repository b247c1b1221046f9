import type { StatementWords } from './types.ts';

/** The sentences of a statement of reasons in Spanish. */
export const statementEs: StatementWords = {
  restrictions: {
    listing_hidden: 'Hemos ocultado tu anuncio «{title}».',
    listing_removed: 'Hemos retirado tu anuncio «{title}».',
    review_removed: 'Hemos retirado una valoración que escribiste.',
    message_removed: 'Hemos retirado un mensaje que enviaste.',
    warning: 'Esto es una advertencia sobre {subject}.',
    account_suspended: 'Hemos suspendido tu cuenta.',
  },
  subjects: {
    listing: 'tu anuncio «{title}»',
    user: 'tu cuenta',
    review: 'una valoración que escribiste',
    message: 'un mensaje que enviaste',
  },
  grounds: {
    terms: 'Incumple nuestras condiciones de uso: {rule}.',
    law: 'Consideramos que es contrario a la ley: {rule}.',
  },
  rules: {
    spam: 'spam',
    fraud: 'fraude',
    inappropriate: 'contenido inapropiado',
    duplicate: 'un duplicado',
    illegal: 'contenido ilegal',
    other: 'otra norma',
  },
  until: 'Se aplica en todos los lugares donde se puede usar nuestro servicio, hasta el {date}.',
  open: 'Se aplica en todos los lugares donde se puede usar nuestro servicio, sin fecha de fin, salvo que se levante.',
  nothing: 'No se ha restringido nada.',
  reported: 'Varias personas lo han denunciado.',
  checked: 'Lo hemos revisado y hemos comprobado que no puede mantenerse.',
  onReports: 'La decisión se basa en denuncias de otras personas.',
  onChecks: 'La decisión se basa en nuestras propias comprobaciones.',
  automated: 'Se ha detectado y decidido de forma automática, por el número de denuncias. Lo revisará una persona.',
  suspected: 'Unas comprobaciones automáticas han encontrado indicios frecuentes en las estafas.',
  automatedBySigns: 'Se ha detectado y decidido de forma automática, por esos indicios. Lo revisará una persona.',
  manual: 'Lo ha decidido una persona. Nada se ha detectado ni decidido de forma automática.',
  appeal:
    'Puedes recurrir gratis hasta el {date} en la página de tus avisos. También puedes acudir a un órgano certificado de resolución extrajudicial de litigios o a los tribunales.',
  appealByMail:
    'Puedes recurrir gratis hasta el {date} respondiendo a nuestro correo. También puedes acudir a un órgano certificado de resolución extrajudicial de litigios o a los tribunales.',
};
