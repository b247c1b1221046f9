import type { Locale } from '../../shared/profiles/profile.ts';

/** What the account page says; `{email}` stands for the address of the account. */
export type AccountWords = {
  title: string;
  needsScript: string;
  logIn: { text: string; button: string };
  confirm: { text: string; warning: string; otherwise: string; button: string };
  newPassword: { text: string; label: string; button: string };
  ask: { text: string; label: string; logIn: string; newPassword: string };
  session: { label: string; text: string; copy: string; copied: string };
  askAgain: string;
  wait: string;
  loggedIn: string;
  confirmed: string;
  changed: string;
  mailed: string;
  usedUp: string;
  tooMany: string;
  failed: string;
};

export const accountWords: Record<Locale, AccountWords> = {
  en: {
    title: 'Your Quayside account',
    needsScript: 'This page needs JavaScript.',
    logIn: { text: 'Log in to your account. The link that brought you here works once.', button: 'Log in' },
    confirm: {
      text: 'Confirm that this address is yours.',
      warning: 'Do so only if you have made this account yourself:',
      otherwise: 'if somebody else has entered your address, just close this page.',
      button: 'Confirm my address',
    },
    newPassword: {
      text: 'Choose a new password. You will be logged out everywhere else.',
      label: 'New password',
      button: 'Set the password',
    },
    ask: {
      text: 'We mail you a link. It works once, and only for a short time.',
      label: 'Your email address',
      logIn: 'Log in by mail',
      newPassword: 'Set a new password',
    },
    session: {
      label: 'Session token',
      text: 'Programs send it in the header <code>Authorization</code>, after the word <code>Bearer</code>. It is valid for 7 days; keep it to yourself.',
      copy: 'Copy the token',
      copied: 'Copied',
    },
    askAgain: 'Ask for a new link',
    wait: 'One moment…',
    loggedIn: 'You are logged in as {email}.',
    confirmed: '{email} is confirmed. Thank you!',
    changed: 'Your password is changed. Log in with the new one.',
    mailed: 'If the address has an account, a link is on its way there.',
    usedUp: 'This link has been used, has expired or never was one.',
    tooMany: 'That was tried too often. Please wait a minute.',
    failed: 'That did not work. Please try again.',
  },
  es: {
    title: 'Tu cuenta de Quayside',
    needsScript: 'Esta página necesita JavaScript.',
    logIn: { text: 'Entra en tu cuenta. El enlace que te ha traído aquí funciona una sola vez.', button: 'Entrar' },
    confirm: {
      text: 'Confirma que esta dirección es tuya.',
      warning: 'Hazlo solo si has creado esta cuenta tú:',
      otherwise: 'si otra persona ha escrito tu dirección, cierra esta página.',
      button: 'Confirmar mi dirección',
    },
    newPassword: {
      text: 'Elige una nueva contraseña. Se cerrarán tus demás sesiones.',
      label: 'Nueva contraseña',
      button: 'Guardar la contraseña',
    },
    ask: {
      text: 'Te enviamos un enlace por correo. Funciona una sola vez y durante poco tiempo.',
      label: 'Tu dirección de correo',
      logIn: 'Entrar por correo',
      newPassword: 'Elegir una nueva contraseña',
    },
    session: {
      label: 'Token de sesión',
      text: 'Los programas lo envían en la cabecera <code>Authorization</code>, después de la palabra <code>Bearer</code>. Es válido durante 7 días; no lo compartas.',
      copy: 'Copiar el token',
      copied: 'Copiado',
    },
    askAgain: 'Pedir un enlace nuevo',
    wait: 'Un momento…',
    loggedIn: 'Has entrado como {email}.',
    confirmed: '{email} está confirmada. ¡Gracias!',
    changed: 'Tu contraseña ha cambiado. Entra con la nueva.',
    mailed: 'Si la dirección tiene una cuenta, le hemos enviado un enlace.',
    usedUp: 'Este enlace ya se ha usado, ha caducado o nunca ha existido.',
    tooMany: 'Demasiados intentos. Espera un minuto, por favor.',
    failed: 'No ha funcionado. Inténtalo otra vez, por favor.',
  },
  fr: {
    title: 'Votre compte Quayside',
    needsScript: 'Cette page a besoin de JavaScript.',
    logIn: {
      text: 'Connectez-vous à votre compte. Le lien qui vous a amené ici ne fonctionne qu’une fois.',
      button: 'Se connecter',
    },
    confirm: {
      text: 'Confirmez que cette adresse est la vôtre.',
      warning: 'Ne le faites que si vous avez créé ce compte vous-même :',
      otherwise: 'si quelqu’un d’autre a saisi votre adresse, fermez simplement cette page.',
      button: 'Confirmer mon adresse',
    },
    newPassword: {
      text: 'Choisissez un nouveau mot de passe. Vous serez déconnecté partout ailleurs.',
      label: 'Nouveau mot de passe',
      button: 'Enregistrer le mot de passe',
    },
    ask: {
      text: 'Nous vous envoyons un lien par e-mail. Il ne fonctionne qu’une fois, et peu de temps.',
      label: 'Votre adresse e-mail',
      logIn: 'Se connecter par e-mail',
      newPassword: 'Choisir un nouveau mot de passe',
    },
    session: {
      label: 'Jeton de session',
      text: 'Les programmes l’envoient dans l’en-tête <code>Authorization</code>, après le mot <code>Bearer</code>. Il est valable 7 jours ; gardez-le pour vous.',
      copy: 'Copier le jeton',
      copied: 'Copié',
    },
    askAgain: 'Demander un nouveau lien',
    wait: 'Un instant…',
    loggedIn: 'Vous êtes connecté en tant que {email}.',
    confirmed: '{email} est confirmée. Merci !',
    changed: 'Votre mot de passe est changé. Connectez-vous avec le nouveau.',
    mailed: 'Si cette adresse a un compte, un lien vient d’y être envoyé.',
    usedUp: 'Ce lien a déjà servi, a expiré ou n’a jamais existé.',
    tooMany: 'Trop de tentatives. Attendez une minute, s’il vous plaît.',
    failed: 'Cela n’a pas fonctionné. Veuillez réessayer.',
  },
  de: {
    title: 'Ihr Quayside-Konto',
    needsScript: 'Diese Seite braucht JavaScript.',
    logIn: {
      text: 'Melden Sie sich bei Ihrem Konto an. Der Link, der Sie hierher geführt hat, gilt ein Mal.',
      button: 'Anmelden',
    },
    confirm: {
      text: 'Bestätigen Sie, dass diese Adresse Ihnen gehört.',
      warning: 'Tun Sie das nur, wenn Sie dieses Konto selbst angelegt haben:',
      otherwise: 'Hat jemand anderes Ihre Adresse eingegeben, schließen Sie einfach diese Seite.',
      button: 'Meine Adresse bestätigen',
    },
    newPassword: {
      text: 'Wählen Sie ein neues Passwort. Überall sonst werden Sie abgemeldet.',
      label: 'Neues Passwort',
      button: 'Passwort festlegen',
    },
    ask: {
      text: 'Wir schicken Ihnen einen Link. Er gilt ein Mal und nur kurze Zeit.',
      label: 'Ihre E-Mail-Adresse',
      logIn: 'Per Mail anmelden',
      newPassword: 'Neues Passwort festlegen',
    },
    session: {
      label: 'Sitzungs-Token',
      text: 'Programme senden es im Header <code>Authorization</code> nach dem Wort <code>Bearer</code>. Es gilt 7 Tage; behalten Sie es für sich.',
      copy: 'Token kopieren',
      copied: 'Kopiert',
    },
    askAgain: 'Einen neuen Link anfordern',
    wait: 'Einen Moment…',
    loggedIn: 'Sie sind als {email} angemeldet.',
    confirmed: '{email} ist bestätigt. Vielen Dank!',
    changed: 'Ihr Passwort ist geändert. Melden Sie sich mit dem neuen an.',
    mailed: 'Gibt es zu dieser Adresse ein Konto, ist ein Link dorthin unterwegs.',
    usedUp: 'Dieser Link wurde schon benutzt, ist abgelaufen oder war nie einer.',
    tooMany: 'Das waren zu viele Versuche. Bitte warten Sie eine Minute.',
    failed: 'Das hat nicht geklappt. Bitte versuchen Sie es noch einmal.',
  },
  it: {
    title: 'Il tuo account Quayside',
    needsScript: 'Questa pagina richiede JavaScript.',
    logIn: { text: 'Accedi al tuo account. Il link che ti ha portato qui vale una sola volta.', button: 'Accedi' },
    confirm: {
      text: 'Conferma che questo indirizzo è tuo.',
      warning: 'Fallo solo se hai creato tu questo account:',
      otherwise: 'se qualcun altro ha inserito il tuo indirizzo, chiudi semplicemente questa pagina.',
      button: 'Conferma il mio indirizzo',
    },
    newPassword: {
      text: 'Scegli una nuova password. Verrai disconnesso da tutti gli altri dispositivi.',
      label: 'Nuova password',
      button: 'Imposta la password',
    },
    ask: {
      text: 'Ti inviamo un link via e-mail. Vale una sola volta e per poco tempo.',
      label: 'Il tuo indirizzo e-mail',
      logIn: 'Accedi via e-mail',
      newPassword: 'Scegli una nuova password',
    },
    session: {
      label: 'Token di sessione',
      text: 'I programmi lo inviano nell’intestazione <code>Authorization</code>, dopo la parola <code>Bearer</code>. Vale 7 giorni; non condividerlo.',
      copy: 'Copia il token',
      copied: 'Copiato',
    },
    askAgain: 'Richiedi un nuovo link',
    wait: 'Un momento…',
    loggedIn: 'Hai effettuato l’accesso come {email}.',
    confirmed: '{email} è confermato. Grazie!',
    changed: 'La tua password è cambiata. Accedi con quella nuova.',
    mailed: 'Se l’indirizzo ha un account, gli abbiamo inviato un link.',
    usedUp: 'Questo link è già stato usato, è scaduto o non è mai esistito.',
    tooMany: 'Troppi tentativi. Attendi un minuto.',
    failed: 'Non ha funzionato. Riprova.',
  },
  ko: {
    title: 'Quayside 계정',
    needsScript: '이 페이지를 사용하려면 JavaScript가 필요합니다.',
    logIn: { text: '계정에 로그인해 주세요. 이 페이지로 오신 링크는 한 번만 사용할 수 있습니다.', button: '로그인' },
    confirm: {
      text: '이 주소가 본인의 주소인지 확인해 주세요.',
      warning: '직접 계정을 만드신 경우에만 확인해 주세요.',
      otherwise: '다른 사람이 회원님의 주소를 입력했다면 이 페이지를 닫으시면 됩니다.',
      button: '내 주소 확인',
    },
    newPassword: {
      text: '새 비밀번호를 정해 주세요. 다른 모든 기기에서 로그아웃됩니다.',
      label: '새 비밀번호',
      button: '비밀번호 설정',
    },
    ask: {
      text: '메일로 링크를 보내 드립니다. 짧은 시간 동안 한 번만 사용할 수 있습니다.',
      label: '이메일 주소',
      logIn: '메일로 로그인',
      newPassword: '새 비밀번호 설정',
    },
    session: {
      label: '세션 토큰',
      text: '프로그램은 이 토큰을 <code>Authorization</code> 헤더에 <code>Bearer</code> 다음에 넣어 보냅니다. 7일 동안 유효하며 다른 사람에게 알려 주지 마세요.',
      copy: '토큰 복사',
      copied: '복사됨',
    },
    askAgain: '새 링크 요청',
    wait: '잠시만 기다려 주세요…',
    loggedIn: '{email} 계정으로 로그인했습니다.',
    confirmed: '{email} 주소가 확인되었습니다. 감사합니다!',
    changed: '비밀번호가 변경되었습니다. 새 비밀번호로 로그인해 주세요.',
    mailed: '이 주소로 만든 계정이 있으면 링크를 보내 드렸습니다.',
    usedUp: '이미 사용했거나 만료되었거나 올바르지 않은 링크입니다.',
    tooMany: '시도 횟수가 너무 많습니다. 1분 후에 다시 시도해 주세요.',
    failed: '처리하지 못했습니다. 다시 시도해 주세요.',
  },
  ja: {
    title: 'Quaysideアカウント',
    needsScript: 'このページにはJavaScriptが必要です。',
    logIn: {
      text: 'アカウントにログインします。このページを開いたリンクは一度だけご利用いただけます。',
      button: 'ログイン',
    },
    confirm: {
      text: 'このアドレスがご自身のものであることをご確認ください。',
      warning: 'ご自身でアカウントを作成された場合のみ、確認を行ってください。',
      otherwise: '他の方がお客様のアドレスを入力した場合は、このページを閉じてください。',
      button: 'アドレスを確認する',
    },
    newPassword: {
      text: '新しいパスワードを設定してください。他の端末ではログアウトされます。',
      label: '新しいパスワード',
      button: 'パスワードを設定する',
    },
    ask: {
      text: 'メールでリンクをお送りします。短時間のうちに一度だけご利用いただけます。',
      label: 'メールアドレス',
      logIn: 'メールでログイン',
      newPassword: '新しいパスワードを設定する',
    },
    session: {
      label: 'セッショントークン',
      text: 'プログラムでは、<code>Authorization</code>ヘッダーの<code>Bearer</code>に続けて送信します。7日間有効です。他の方に教えないでください。',
      copy: 'トークンをコピー',
      copied: 'コピーしました',
    },
    askAgain: '新しいリンクを申し込む',
    wait: '少々お待ちください…',
    loggedIn: '{email}としてログインしました。',
    confirmed: '{email}を確認しました。ありがとうございます。',
    changed: 'パスワードを変更しました。新しいパスワードでログインしてください。',
    mailed: 'このアドレスのアカウントがあれば、リンクをお送りしました。',
    usedUp: 'このリンクは使用済みか、期限切れか、正しくありません。',
    tooMany: '試行回数が多すぎます。1分ほどお待ちください。',
    failed: '処理できませんでした。もう一度お試しください。',
  },
};
