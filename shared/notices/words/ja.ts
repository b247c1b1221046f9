import type { StatementWords } from './types.ts';

/** The sentences of a statement of reasons in Japanese. */
export const statementJa: StatementWords = {
  restrictions: {
    listing_hidden: '出品「{title}」を非表示にしました。',
    listing_removed: '出品「{title}」を削除しました。',
    review_removed: 'ご投稿のレビューを削除しました。',
    message_removed: '送信されたメッセージを削除しました。',
    warning: '{subject}について警告します。',
    account_suspended: 'アカウントを停止しました。',
  },
  subjects: {
    listing: '出品「{title}」',
    user: 'お客様のアカウント',
    review: 'ご投稿のレビュー',
    message: '送信されたメッセージ',
  },
  grounds: {
    terms: '利用規約に反しています: {rule}。',
    law: '法律に反していると判断しました: {rule}。',
  },
  rules: {
    spam: 'スパム',
    fraud: '詐欺',
    inappropriate: '不適切な内容',
    duplicate: '重複した出品',
    illegal: '違法な内容',
    other: 'その他の規則',
  },
  until: 'この措置は、サービスを利用できるすべての地域で{date}まで適用されます。',
  open: 'この措置は、サービスを利用できるすべての地域で、解除されるまで期限なく適用されます。',
  nothing: '制限されたものはありません。',
  reported: '複数の方から報告がありました。',
  checked: '確認した結果、掲載を続けられないと判断しました。',
  onReports: 'この決定は、ほかの方からの報告に基づいています。',
  onChecks: 'この決定は、当社の確認に基づいています。',
  automated: '報告の件数により、自動で検知され決定されました。担当者が確認します。',
  suspected: '自動の確認で、詐欺によく見られる特徴が見つかりました。',
  automatedBySigns: 'こうした特徴により、自動で検知され決定されました。担当者が確認します。',
  manual: '担当者が決定しました。自動で検知または決定されたものはありません。',
  appeal:
    '{date}まで、お知らせのページから無料で異議を申し立てることができます。認定された裁判外紛争解決機関や裁判所に申し立てることもできます。',
  appealByMail:
    '{date}まで、当社からのメールに返信して無料で異議を申し立てることができます。認定された裁判外紛争解決機関や裁判所に申し立てることもできます。',
};
