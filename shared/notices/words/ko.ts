import type { StatementWords } from './types.ts';

/** The sentences of a statement of reasons in Korean. */
export const statementKo: StatementWords = {
  restrictions: {
    listing_hidden: '게시물 "{title}"을(를) 숨겼습니다.',
    listing_removed: '게시물 "{title}"을(를) 삭제했습니다.',
    review_removed: '작성하신 후기를 삭제했습니다.',
    message_removed: '보내신 메시지를 삭제했습니다.',
    warning: '경고를 알려 드립니다. 대상: {subject}.',
    account_suspended: '계정을 정지했습니다.',
  },
  subjects: {
    listing: '게시물 "{title}"',
    user: '회원님의 계정',
    review: '작성하신 후기',
    message: '보내신 메시지',
  },
  grounds: {
    terms: '이용 약관에 어긋납니다: {rule}.',
    law: '법률에 어긋난다고 판단합니다: {rule}.',
  },
  rules: {
    spam: '스팸',
    fraud: '사기',
    inappropriate: '부적절한 내용',
    duplicate: '중복 게시물',
    illegal: '불법 내용',
    other: '기타 규정',
  },
  until: '이 조치는 서비스가 제공되는 모든 곳에서 {date}까지 적용됩니다.',
  open: '이 조치는 서비스가 제공되는 모든 곳에서 해제될 때까지 기한 없이 적용됩니다.',
  nothing: '제한된 것은 없습니다.',
  reported: '여러 사람이 신고했습니다.',
  checked: '검토한 결과 그대로 둘 수 없다고 판단했습니다.',
  onReports: '이 결정은 다른 사람들의 신고를 바탕으로 합니다.',
  onChecks: '이 결정은 자체 점검을 바탕으로 합니다.',
  automated: '신고 건수에 따라 자동으로 감지되고 결정되었습니다. 담당자가 확인할 예정입니다.',
  suspected: '자동 점검에서 사기에 흔한 징후가 발견되었습니다.',
  automatedBySigns: '이러한 징후에 따라 자동으로 감지되고 결정되었습니다. 담당자가 확인할 예정입니다.',
  manual: '담당자가 직접 결정했습니다. 자동으로 감지되거나 결정된 것은 없습니다.',
  appeal:
    '{date}까지 알림 페이지에서 무료로 이의를 제기할 수 있습니다. 공인된 법정 밖 분쟁 해결 기관이나 법원을 이용할 수도 있습니다.',
  appealByMail:
    '{date}까지 저희가 보낸 메일에 답장하여 무료로 이의를 제기할 수 있습니다. 공인된 법정 밖 분쟁 해결 기관이나 법원을 이용할 수도 있습니다.',
};
