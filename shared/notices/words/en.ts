import type { StatementWords } from './types.ts';

/** The sentences of a statement of reasons in English. */
export const statementEn: StatementWords = {
  restrictions: {
    listing_hidden: 'We have hidden your listing “{title}”.',
    listing_removed: 'We have removed your listing “{title}”.',
    review_removed: 'We have removed a review that you wrote.',
    message_removed: 'We have removed a message that you sent.',
    warning: 'This is a warning about {subject}.',
    account_suspended: 'We have suspended your account.',
  },
  subjects: {
    listing: 'your listing “{title}”',
    user: 'your account',
    review: 'a review that you wrote',
    message: 'a message that you sent',
  },
  grounds: {
    terms: 'It is against our terms of use: {rule}.',
    law: 'We consider it to be against the law: {rule}.',
  },
  rules: {
    spam: 'spam',
    fraud: 'fraud',
    inappropriate: 'inappropriate content',
    duplicate: 'a duplicate',
    illegal: 'illegal content',
    other: 'another rule',
  },
  until: 'This holds wherever our service can be reached, until {date}.',
  open: 'This holds wherever our service can be reached, without an end date, unless it is lifted.',
  nothing: 'Nothing has been restricted.',
  reported: 'Several people have reported it.',
  checked: 'We have looked at it and found that it cannot stay.',
  onReports: 'The decision rests on reports by other people.',
  onChecks: 'The decision rests on our own checks.',
  automated: 'It was detected and decided automatically, by the number of reports. A person will look at it.',
  suspected: 'Automatic checks found signs that are common in scams.',
  automatedBySigns: 'It was detected and decided automatically, by such signs. A person will look at it.',
  manual: 'A person has decided. Nothing was detected or decided automatically.',
  appeal:
    'You can appeal free of charge until {date}, on the page of your notices. You can also turn to a certified out-of-court dispute settlement body, or to a court.',
  appealByMail:
    'You can appeal free of charge until {date}, by answering our mail about it. You can also turn to a certified out-of-court dispute settlement body, or to a court.',
};
