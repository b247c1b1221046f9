import type { ConnectWords } from './types.ts';

/** The texts of connecting applications to an account, in Japanese. */
export const connectJa: ConnectWords = {
  connect: {
    title: '{app}を接続しますか？',
    text: '{app}が{brand}であなたの代わりに操作しようとしています。{email}でログインしています。',
    leads: {
      host: '回答は{host}に送られます。',
      loopback: '回答はこのコンピューターのプログラム（{host}）に送られます。',
      app: '回答は{host}:で始まるアドレスで、この端末のアプリに送られます。',
    },
    unverified: '名前はアプリ自身が付けたものです。ご自分で接続を始めた場合にだけ許可してください。',
    may: '許可する操作',
    scopes: {
      read: 'アカウントの閲覧：出品、メッセージ、お気に入り、予約（常に）',
      'listings:write': '下書き、出品、写真、お気に入り、保存した検索の変更',
      messages: 'あなたの名前でのメッセージ、予約、レビューの作成とWebhookの設定',
      publish: '出品の公開、レンタルの提供、有料プロモーションの注文',
      admin: '上のすべてを含む、マーケット全体の管理',
    },
    moderate: '上のすべてを含む、出品・通報・重複の審査',
    allow: '許可する',
    deny: '許可しない',
    end: '接続はアカウントのページでいつでも解除できます。',
    refused: 'このアプリは接続できません',
    unknownText:
      'アプリが登録されていないか、登録の期限が切れているか、自分のものではないアドレスを指定しました。アプリで接続を削除してから、もう一度追加してください。',
    invalidText: 'アプリの要求はこのサイトでは対応していない形式です。何も許可されていません。',
    back: 'アプリに戻る',
    applications: '接続済みのアプリ',
    applicationsText: 'あなたの代わりに操作することを許可したエージェントとプログラムです。',
    used: '最終利用：{date}',
    disconnect: '接続を解除',
  },
};
