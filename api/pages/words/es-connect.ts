import type { ConnectWords } from './types.ts';

/** The texts of connecting applications to an account, in Spanish. */
export const connectEs: ConnectWords = {
  connect: {
    title: '¿Conectar {app}?',
    text: '{app} quiere actuar por ti en {brand}. Has iniciado sesión como {email}.',
    leads: {
      host: 'Tu respuesta se enviará a {host}.',
      loopback: 'Tu respuesta se enviará a un programa de este ordenador ({host}).',
      app: 'Tu respuesta se enviará a una aplicación de este dispositivo, mediante direcciones que empiezan por {host}:',
    },
    unverified: 'La aplicación ha elegido su propio nombre. Acepta solo si acabas de pedirle que se conecte.',
    may: 'Podrá',
    scopes: {
      read: 'ver tu cuenta: anuncios, mensajes, favoritos y reservas (siempre)',
      'listings:write': 'cambiar tus borradores, anuncios, fotos, favoritos y búsquedas guardadas',
      messages: 'escribir mensajes, reservas y opiniones en tu nombre, y configurar webhooks',
      publish: 'publicar anuncios, ofrecer alquileres y encargar promociones de pago',
      admin: 'administrar todo el mercado, con todo lo anterior',
    },
    moderate: 'decidir sobre anuncios, denuncias y duplicados, con todo lo anterior',
    allow: 'Permitir',
    deny: 'No permitir',
    end: 'Puedes desconectarla en cualquier momento desde tu cuenta.',
    refused: 'Esta aplicación no se puede conectar',
    unknownText:
      'No está registrada aquí, o ya no lo está, o ha indicado una dirección que no es suya. Elimina la conexión en la aplicación y vuelve a añadirla.',
    invalidText: 'La aplicación ha hecho una petición que este sitio no admite. No se ha permitido nada.',
    back: 'Volver a la aplicación',
    applications: 'Aplicaciones conectadas',
    applicationsText: 'Agentes y programas a los que has permitido actuar por ti.',
    used: 'último uso: {date}',
    disconnect: 'Desconectar',
  },
};
