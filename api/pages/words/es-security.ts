import type { SecurityWords } from './types.ts';

/** The texts of devices, two-factor sign-in and passkeys, in Spanish. */
export const securityEs: SecurityWords = {
  security: {
    sessions: 'Dispositivos y sesiones',
    sessionsText: 'Dónde has iniciado sesión.',
    current: 'este',
    unknownDevice: 'Dispositivo desconocido',
    lastUsed: 'último uso',
    end: 'Cerrar sesión',
    twoFactor: 'Verificación en dos pasos',
    off: 'Protege tu cuenta con un código que muestra una aplicación de tu teléfono, además de la contraseña.',
    setUp: 'Configurar una aplicación',
    scan: 'Escanea esto con tu aplicación de autenticación o escribe la clave en ella. Después introduce el código que muestra.',
    qrCode: 'Código QR para tu aplicación de autenticación',
    key: 'Clave:',
    code: 'Código',
    confirm: 'Activar',
    on: 'Activada desde el {date}. Códigos de recuperación restantes: {count}.',
    recovery:
      'Guarda estos códigos de recuperación donde los encuentres sin tu teléfono: cada uno sustituye una vez a un código. Solo se muestran esta vez.',
    proof: 'Tu contraseña o un código',
    remove: 'Desactivar',
    passkeys: 'Llaves de acceso',
    passkeysText: 'Entra con tu huella, tu cara o el bloqueo de pantalla, sin contraseña.',
    passkeyName: 'Nombre de la llave',
    addPasskey: 'Añadir una llave de acceso',
    deletePasskey: 'Eliminar',
    byPasskey: 'Entrar con una llave de acceso',
    passkeyFailed: 'No ha funcionado o se ha cancelado. Inténtalo de nuevo.',
    needsScript: 'Para añadir una llave de acceso se necesita JavaScript.',
    codeTitle: 'Introduce tu código',
    codeText: 'Introduce el código que muestra tu aplicación de autenticación o uno de tus códigos de recuperación.',
    enrol:
      'Tu función exige un segundo factor. Configura una aplicación o una llave de acceso para continuar; si ya tienes uno, entra con él.',
  },
};
