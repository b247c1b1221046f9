import type { SecurityWords } from './types.ts';

/** The texts of devices, two-factor sign-in and passkeys, in Japanese. */
export const securityJa: SecurityWords = {
  security: {
    sessions: '端末とセッション',
    sessionsText: 'ログイン中の端末です。',
    current: 'この端末',
    unknownDevice: '不明な端末',
    lastUsed: '最終利用:',
    end: 'ログアウト',
    twoFactor: '2段階認証',
    off: 'パスワードに加えて、スマートフォンのアプリに表示されるコードでアカウントを保護します。',
    setUp: 'アプリを設定する',
    scan: '認証アプリでこれを読み取るか、キーを入力してください。その後、表示されるコードを入力します。',
    qrCode: '認証アプリ用のQRコード',
    key: 'キー:',
    code: 'コード',
    confirm: '有効にする',
    on: '{date}から有効です。残りのリカバリーコード: {count}個。',
    recovery:
      'このリカバリーコードは、スマートフォンがなくても見つけられる場所に保管してください。それぞれ一度だけコードの代わりに使えます。表示されるのは今回だけです。',
    proof: 'パスワードまたはコード',
    remove: '無効にする',
    passkeys: 'パスキー',
    passkeysText: 'パスワードなしで、指紋、顔、画面ロックでログインできます。',
    passkeyName: 'パスキーの名前',
    addPasskey: 'パスキーを追加する',
    deletePasskey: '削除',
    byPasskey: 'パスキーでログイン',
    passkeyFailed: 'うまくいかなかったか、キャンセルされました。もう一度お試しください。',
    needsScript: 'パスキーの追加にはJavaScriptが必要です。',
    codeTitle: 'コードを入力してください',
    codeText: '認証アプリに表示されるコード、またはリカバリーコードを入力してください。',
    enrol:
      'お客様の権限には2段階認証が必要です。続けるにはアプリまたはパスキーを設定してください。すでにお持ちの場合は、それでログインしてください。',
  },
};
